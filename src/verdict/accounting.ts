import type { Measurement } from "../record/measurement.js";
import type { RequestCounts } from "../record/record.js";
import { countOf } from "../stats/summary.js";
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

function identities(measurement: Measurement): (readonly [what: string, left: number, right: number])[] {
  const { requests, warmup, windows, clocks, ended } = measurement;
  const counted = windows.filter((window) => !window.warmup);
  const sum = (of: (window: (typeof windows)[number]) => number) =>
    counted.reduce((total, window) => total + of(window), 0);
  const rows: [string, number, number][] = [
    ["scheduled is the sum of the outcomes", requests.scheduled, outcomesOf(requests)],
    ["scheduled is sent and unsent", requests.scheduled, requests.sent + requests.unsent],
  ];
  if (warmup !== null)
    rows.push(["warm-up: scheduled is the sum of the outcomes", warmup.scheduled, outcomesOf(warmup)]);
  // A lost worker takes its open windows and its tallies with it; the finding about that says so.
  if (ended.how === "worker-lost") return rows;
  rows.push(
    ["unsent is explained by kind", requests.unsent, Object.values(requests.unsentBy).reduce((a, b) => a + b, 0)],
    ["windows add up to the scheduled", sum((window) => window.requests.scheduled), requests.scheduled],
    ["windows add up to the ok", sum((window) => window.requests.ok), requests.ok],
    ["windows' response times add up to the run's", sum((window) => countOf(window.response)), requests.scheduled],
    ["windows' service times add up to the sent", sum((window) => countOf(window.service)), requests.sent],
  );
  if (clocks.response !== undefined) {
    rows.push(["response times are there for all scheduled", countOf(clocks.response), requests.scheduled]);
  }
  if (clocks.service !== undefined)
    rows.push(["service times are there for all sent", countOf(clocks.service), requests.sent]);
  return rows;
}

const outcomesOf = ({ ok, errors, timeouts, unfinished }: RequestCounts) => ok + errors + timeouts + unfinished;
