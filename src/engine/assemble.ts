import { SparseHistogram } from "../hdr/index.js";
import type { Plan } from "../plan/plan.js";
import { recordPlan } from "../plan/redact.js";
import type { Measurement } from "../record/measurement.js";
import { addRecords } from "../record/merge.js";
import type { Ending, Host, Rate, RequestCounts } from "../record/record.js";
import { countOf, type Observations } from "../stats/summary.js";
import { NS_PER_MS } from "../units/duration.js";
import type { CounterName, RunCells, RunHistogram } from "./cells.js";
import type { OutcomeCounts } from "./messages.js";
import type { WindowGrid } from "./window-grid.js";

/** All that is known of a run when its workers have ended. */
export interface RunRemains {
  readonly plan: Plan;
  readonly runId: string;
  readonly tool: Measurement["tool"];
  readonly host: Host;
  readonly startedAt: string;
  readonly startNs: number;
  readonly endNs: number;
  /** When the schedule was cut, if it was. */
  readonly cutNs: number | null;
  readonly ended: Ending;
  readonly cells: readonly RunCells[];
  readonly windows: WindowGrid;
  readonly outcomes: readonly OutcomeCounts[];
  readonly limits: readonly string[];
  readonly usage: { readonly cpuUserMs: number; readonly cpuSystemMs: number; readonly maxRssBytes: number };
}

/** Puts together what the workers counted. Each number has one source, so that the record's identities can be checked. */
export function assemble(remains: RunRemains): Measurement {
  const { plan, cells, outcomes } = remains;
  const sum = (name: CounterName) => cells.reduce((total, cell) => total + cell.get(name), 0);
  const unsentBy = addRecords(outcomes.map((outcome) => outcome.unsentBy));
  const requests = requestCounts(sum, unsentBy, remains.ended);
  return {
    runId: remains.runId,
    plan: recordPlan(plan),
    tool: remains.tool,
    host: remains.host,
    startedAt: remains.startedAt,
    wallMs: (remains.endNs - remains.startNs) / NS_PER_MS,
    ended: remains.ended,
    requests,
    warmup:
      plan.warmupMs === 0 ? null : warmupCounts(sum, addRecords(outcomes.map((outcome) => outcome.warmupUnsentBy))),
    attempts: {
      attempts: sum("attempts"),
      hedges: 0,
      retries: 0,
      staleRetries: sum("staleRetries"),
      cancelled: sum("cancelled"),
      connectionsOpened: sum("connectionsOpened"),
      connectionsReused: sum("connectionsReused"),
      connectionsLost: sum("connectionsLost"),
      connectionsClosed: sum("connectionsClosed"),
      connectFailures: sum("connectFailures"),
    },
    rate: rates(remains, requests.scheduled, sum),
    outcomes: {
      byStatus: addRecords(outcomes.map((outcome) => outcome.byStatus)),
      byError: addRecords(outcomes.map((outcome) => outcome.byError)),
      details: Object.assign({}, ...outcomes.map((outcome) => outcome.details)) as Record<string, string>,
      bodyBytes: sum("bodyBytes"),
    },
    generator: {
      ...remains.usage,
      pauses: { count: sum("pauses"), totalMs: sum("pausedNs") / NS_PER_MS, maxMs: longestPauseMs(cells) },
      heldBack: sum("heldBack"),
      limits: remains.limits,
    },
    inFlightMs: remains.ended.how === "worker-lost" ? null : sum("inFlightNs") / NS_PER_MS,
    clocks: clocksOf(cells, requests.errors, sum("serviceFailed")),
    windows: remains.windows.measured(plan.warmupMs),
  };
}

/** What a lost worker had out is unfinished. */
function requestCounts(
  sum: (name: CounterName) => number,
  unsentBy: Record<string, number>,
  ended: Ending,
): RequestCounts {
  const scheduled = sum("scheduled");
  const [ok, errors, timeouts, sent] = [sum("ok"), sum("errors"), sum("timeouts"), sum("sent")];
  const unfinished = ended.how === "worker-lost" ? scheduled - ok - errors - timeouts : sum("unfinished");
  return { scheduled, ok, errors, timeouts, unfinished, sent, unsent: scheduled - sent, unsentBy };
}

function warmupCounts(sum: (name: CounterName) => number, unsentBy: Record<string, number>): RequestCounts {
  const scheduled = sum("warmupScheduled");
  const sent = sum("warmupSent");
  return {
    scheduled,
    ok: sum("warmupOk"),
    errors: sum("warmupErrors"),
    timeouts: sum("warmupTimeouts"),
    unfinished: sum("warmupUnfinished"),
    sent,
    unsent: scheduled - sent,
    unsentBy,
  };
}

/**
 * Rates over the measured schedule. One that ended because its number of requests was used up has the length it took: until
 * the last was sent, or answered.
 */
function rates(
  { plan, startNs, cutNs, cells }: RunRemains,
  scheduled: number,
  sum: (name: CounterName) => number,
): Rate {
  const measureNs = startNs + plan.warmupMs * NS_PER_MS;
  const latest = (name: CounterName) => Math.max(measureNs, ...cells.map((cell) => cell.get(name)));
  const plannedNs = plan.durationMs === null ? Number.POSITIVE_INFINITY : startNs + plan.durationMs * NS_PER_MS;
  const usedUp = plan.requests !== null && scheduled + sum("warmupScheduled") >= plan.requests;
  const end = (name: CounterName) =>
    Math.min(plannedNs, cutNs ?? Number.POSITIVE_INFINITY, usedUp ? latest(name) : Number.POSITIVE_INFINITY);
  const perS = (count: number, untilNs: number) => (untilNs > measureNs ? (count / (untilNs - measureNs)) * 1e9 : 0);
  return {
    targetPerS: plan.load.kind === "open" ? plan.load.ratePerS : null,
    achievedPerS: perS(sum("sentByEnd"), end("lastSentNs")),
    answeredPerS: perS(sum("answeredByEnd"), end("lastDoneNs")),
    sentVsScheduled: scheduled === 0 ? 1 : sum("sentByEnd") / scheduled,
  };
}

function longestPauseMs(cells: readonly RunCells[]): number {
  return Math.max(0, ...cells.map((cell) => cell.get("longestPauseNs"))) / NS_PER_MS;
}

function clocksOf(cells: readonly RunCells[], errors: number, serviceFailed: number): Measurement["clocks"] {
  const gather = (name: RunHistogram) => {
    const sum = new SparseHistogram();
    for (const cell of cells) sum.add(cell.histograms[name]);
    return sum;
  };
  const none = new SparseHistogram();
  const response = gather("response");
  const all: Record<keyof Measurement["clocks"], Observations> = {
    response: { known: response, censored: gather("responseCensored"), failed: errors },
    answered: { known: response, censored: none, failed: 0 },
    service: { known: gather("service"), censored: gather("serviceCensored"), failed: serviceFailed },
    sendLag: { known: gather("sendLag"), censored: none, failed: 0 },
    alone: { known: gather("alone"), censored: none, failed: 0 },
    lateness: { known: gather("lateness"), censored: none, failed: 0 },
    queue: { known: gather("queue"), censored: none, failed: 0 },
    connect: { known: gather("connect"), censored: none, failed: 0 },
    firstByte: { known: gather("firstByte"), censored: none, failed: 0 },
    transfer: { known: gather("transfer"), censored: none, failed: 0 },
    corrected: { known: gather("corrected"), censored: none, failed: 0 },
  };
  return Object.fromEntries(Object.entries(all).filter(([, observations]) => countOf(observations) > 0));
}
