import type { MeasuredWindow, Measurement } from "../record/measurement.js";
import type { Ending, RequestCounts } from "../record/record.js";
import { countOf, NO_OBSERVATIONS } from "../stats/summary.js";
import { type Check, NOTHING_FOUND } from "./check.js";

/**
 * Every scheduled request has exactly one outcome, was sent or not, lies in one window, and is in the histograms. If not, the
 * tool has a fault and no number of the run can be believed. Promises to see a single request.
 */
export const accounting: Check = {
  code: "accounting",
  run: (measurement) => {
    const broken = identities(measurement).find(([, left, right]) => left !== right);
    if (broken === undefined) return NOTHING_FOUND;
    const [what, left, right] = broken;
    return {
      ran: true,
      status: "invalid",
      found: {
        severity: "error",
        message: `the books do not balance: ${what} (${left} against ${right})`,
        evidence: { left, right },
        advice: "This is a fault in tailrace or in the record. Please report it, with the record.",
      },
    };
  },
};

type Identity = readonly [what: string, left: number, right: number];

function identities({ requests, warmup, windows, clocks, outcomes, ended }: Measurement): Identity[] {
  const ledgers = [...ofRequests("", requests), ...(warmup === null ? [] : ofRequests("warm-up: ", warmup))];
  // A lost worker takes its open windows and its tallies with it; the finding about that says so.
  if (lostWorker(ended)) return ledgers;
  const measured = windows.filter((window) => !window.warmup);
  const warm = windows.filter((window) => window.warmup);
  return [
    ...ledgers,
    ["unsent is explained by kind", requests.unsent, total(requests.unsentBy)],
    ["errors are explained by kind", requests.errors, total(outcomes.byError)],
    [
      "answers by status are the ok and those of a status not expected",
      total(outcomes.byStatus),
      requests.ok + (outcomes.byError.status ?? 0),
    ],
    ...ofWindows("windows add up to the", measured, requests),
    ...ofWindows("warm-up: windows add up to the", warm, warmup),
    ["response times are there for all scheduled", countOf(clocks.response ?? NO_OBSERVATIONS), requests.scheduled],
    ["answered ones are there for all ok", countOf(clocks.answered ?? NO_OBSERVATIONS), requests.ok],
    ["service times are there for all sent", countOf(clocks.service ?? NO_OBSERVATIONS), requests.sent],
  ];
}

function ofRequests(where: string, counts: RequestCounts): Identity[] {
  const { scheduled, ok, errors, timeouts, unfinished, sent, unsent } = counts;
  return [
    [`${where}scheduled is the sum of the outcomes`, scheduled, ok + errors + timeouts + unfinished],
    [`${where}scheduled is sent and unsent`, scheduled, sent + unsent],
  ];
}

const COUNTED = ["scheduled", "ok", "errors", "timeouts", "unfinished", "sent"] as const;

function ofWindows(what: string, windows: readonly MeasuredWindow[], counts: RequestCounts | null): Identity[] {
  const sum = (of: (window: MeasuredWindow) => number) => windows.reduce((total, window) => total + of(window), 0);
  return [
    ...COUNTED.map(
      (name): Identity => [
        `${what} ${name}`,
        sum(({ requests }) => requests[name]),
        counts === null ? 0 : counts[name],
      ],
    ),
    [`${what} response times`, sum(({ response }) => countOf(response)), counts?.scheduled ?? 0],
    [`${what} service times`, sum(({ service }) => countOf(service)), counts?.sent ?? 0],
  ];
}

function lostWorker(ended: Ending): boolean {
  return ended.how === "worker-lost" || (ended.how === "merged" && ended.parts.some((part) => lostWorker(part.ended)));
}

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
