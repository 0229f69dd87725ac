import fc from "fast-check";
import { LATENCY_LAYOUT, SparseHistogram } from "../hdr/index.js";
import type { RunFlags } from "../plan/flags.js";
import { recordPlan } from "../plan/redact.js";
import { planOf } from "../plan/resolve.testkit.js";
import { countOf, type Observations } from "../stats/summary.js";
import { NS_PER_MS } from "../units/duration.js";
import type { MeasuredWindow, Measurement } from "./measurement.js";
import type { RequestCounts } from "./record.js";

/** What happened to one request. Times in ms from the schedule's start. */
export interface Told {
  readonly intendedMs: number;
  /** `null`: its bytes never reached a socket. */
  readonly sentMs: number | null;
  /** Of the lag before it was sent, how long it waited for a connection. */
  readonly queueMs?: number;
  readonly endMs: number;
  readonly outcome: "ok" | "errors" | "timeouts" | "unfinished";
  /** Of an error: its kind, `status` for an answer that was not expected. */
  readonly kind?: string;
}

/** What a test says of a run besides its requests. */
export interface About extends Partial<Omit<Measurement, "plan" | "windows" | "clocks">> {
  readonly flags?: RunFlags;
  readonly widthMs?: number;
}

const BARE: Measurement["attempts"] = {
  attempts: 0,
  hedges: 0,
  retries: 0,
  staleRetries: 0,
  cancelled: 0,
  connectionsOpened: 2,
  connectionsReused: 0,
  connectionsLost: 0,
  connectionsClosed: 0,
  connectFailures: 0,
};

/** The measurement of a run in which just these things happened, every number of it counted from them. */
export function measurementOf(requests: readonly Told[], about: About = {}): Measurement {
  const { flags = {}, widthMs = 100, ...given } = about;
  const plan = planOf({ duration: "1s", ...flags });
  const warm = requests.filter(({ intendedMs }) => intendedMs < plan.warmupMs);
  const measured = requests.filter(({ intendedMs }) => intendedMs >= plan.warmupMs);
  const endMs = plan.durationMs ?? Math.max(0, ...requests.map(({ intendedMs }) => intendedMs));
  const perS = (count: number) => (count / (endMs - plan.warmupMs)) * 1000;
  const sentByEnd = measured.filter(({ sentMs }) => sentMs !== null && sentMs <= endMs).length;
  const clocks = clocksOf(measured);
  return {
    runId: "run-a",
    plan: recordPlan(plan),
    tool: { name: "tailrace", version: "0.0.0" },
    host: {
      hostname: "here",
      platform: "linux x64",
      cpu: "a processor",
      cores: 2,
      memoryBytes: 2 ** 33,
      runtime: "node v20.19.0",
      target: "127.0.0.1:8090",
    },
    startedAt: "2026-01-02T03:04:05.678Z",
    wallMs: Math.max(endMs, ...requests.map((request) => request.endMs)),
    ended: { how: "completed" },
    requests: countsOf(measured),
    warmup: plan.warmupMs === 0 ? null : countsOf(warm),
    attempts: { ...BARE, attempts: requests.filter(({ sentMs }) => sentMs !== null).length },
    rate: {
      targetPerS: plan.load.kind === "open" ? plan.load.ratePerS : null,
      achievedPerS: perS(sentByEnd),
      answeredPerS: perS(measured.filter((request) => isAnswered(request) && request.endMs <= endMs).length),
      sentVsScheduled: measured.length === 0 ? 1 : sentByEnd / measured.length,
    },
    outcomes: {
      byStatus: tally(measured.filter(isAnswered).map(({ outcome }) => (outcome === "ok" ? "200" : "500"))),
      byError: tally(measured.filter(({ outcome }) => outcome === "errors").map(kindOf)),
      details: { reset: "the peer reset the connection" },
      bodyBytes: 3 * requests.filter(isAnswered).length,
    },
    generator: {
      cpuUserMs: 120.5,
      cpuSystemMs: 30.25,
      maxRssBytes: 80_000_000,
      pauses: { count: 1, totalMs: 1.5, maxMs: 1.5 },
      heldBack: 0,
      limits: [],
    },
    inFlightMs: requests.reduce((sum, request) => sum + request.endMs - request.intendedMs, 0),
    clocks,
    windows: windowsOf(requests, plan.warmupMs, widthMs),
    ...given,
  };
}

const isAnswered = (request: Told) => request.outcome === "ok" || kindOf(request) === "status";
const kindOf = ({ outcome, kind }: Told) => (outcome === "errors" ? (kind ?? "reset") : "");

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function countsOf(requests: readonly Told[]): RequestCounts {
  const unsent = requests.filter(({ sentMs }) => sentMs === null);
  const why = (request: Told) =>
    request.outcome === "timeouts" ? "timeout" : request.outcome === "unfinished" ? "cut-off" : kindOf(request);
  return { ...plainCountsOf(requests), unsentBy: tally(unsent.map(why)) };
}

function plainCountsOf(requests: readonly Told[]): Omit<RequestCounts, "unsentBy"> {
  const of = (outcome: Told["outcome"]) => requests.filter((request) => request.outcome === outcome).length;
  const sent = requests.filter(({ sentMs }) => sentMs !== null).length;
  return {
    scheduled: requests.length,
    ok: of("ok"),
    errors: of("errors"),
    timeouts: of("timeouts"),
    unfinished: of("unfinished"),
    sent,
    unsent: requests.length - sent,
  };
}

/** A histogram of times in ms. */
export function histogramOf(timesMs: readonly number[]): SparseHistogram {
  const histogram = new SparseHistogram();
  for (const ms of timesMs) histogram.addIndex(LATENCY_LAYOUT.indexOf(Math.round(ms * NS_PER_MS)));
  return histogram;
}

export const observed = (knownMs: readonly number[], censoredMs: readonly number[] = [], failed = 0): Observations => ({
  known: histogramOf(knownMs),
  censored: histogramOf(censoredMs),
  failed,
});

function timed(requests: readonly Told[], ms: (request: Told) => number): Observations {
  const times = (outcomes: readonly Told["outcome"][]) =>
    requests.filter(({ outcome }) => outcomes.includes(outcome)).map(ms);
  const failed = requests.filter(({ outcome }) => outcome === "errors").length;
  return observed(times(["ok"]), times(["timeouts", "unfinished"]), failed);
}

const responseOf = (requests: readonly Told[]) => timed(requests, ({ endMs, intendedMs }) => endMs - intendedMs);
const serviceOf = (requests: readonly Told[]) =>
  timed(
    requests.filter(({ sentMs }) => sentMs !== null),
    ({ endMs, sentMs }) => endMs - sentMs!,
  );

function clocksOf(requests: readonly Told[]): Measurement["clocks"] {
  const ok = requests.filter(({ outcome }) => outcome === "ok");
  const lag = ({ sentMs, intendedMs }: Told) => sentMs! - intendedMs;
  const all: Measurement["clocks"] = {
    response: responseOf(requests),
    answered: responseOf(ok),
    service: serviceOf(requests),
    sendLag: timed(ok, lag),
    lateness: timed(ok, (request) => lag(request) - (request.queueMs ?? 0)),
    queue: timed(ok, ({ queueMs = 0 }) => queueMs),
  };
  return Object.fromEntries(Object.entries(all).filter(([, observations]) => countOf(observations) > 0));
}

/** From the schedule's first to the last with a request in it, counted from the end of the warm-up. */
function windowsOf(requests: readonly Told[], warmupMs: number, widthMs: number): MeasuredWindow[] {
  const indexOf = ({ intendedMs }: Told) => Math.floor((intendedMs - warmupMs) / widthMs);
  const used = requests.map(indexOf);
  if (used.length === 0) return [];
  const first = Math.min(0, ...used);
  return Array.from({ length: Math.max(...used) - first + 1 }, (_, i): MeasuredWindow => {
    const startMs = warmupMs + (first + i) * widthMs;
    const mine = requests.filter((_, n) => used[n] === first + i);
    const inFlightAt = (ms: number) =>
      requests.filter(({ intendedMs, endMs }) => intendedMs < ms && endMs >= ms).length;
    const overlapMs = ({ intendedMs, endMs }: Told) =>
      Math.max(0, Math.min(endMs, startMs + widthMs) - Math.max(intendedMs, startMs));
    return {
      startMs,
      widthMs,
      warmup: first + i < 0,
      requests: plainCountsOf(mine),
      response: responseOf(mine),
      service: serviceOf(mine),
      pauses: { count: 0, totalMs: 0, maxMs: 0 },
      inFlight: {
        atStart: inFlightAt(startMs),
        atEnd: inFlightAt(startMs + widthMs),
        meanOverWindow: requests.reduce((sum, request) => sum + overlapMs(request), 0) / widthMs,
      },
    };
  });
}

/** Requests at a constant rate, all answered, in 5 to 6 ms, a tenth of a ms after they fell due. */
export function steady(ratePerS = 100, untilMs = 1000): Told[] {
  return Array.from({ length: Math.round((untilMs / 1000) * ratePerS) }, (_, i) => {
    const intendedMs = (i * 1000) / ratePerS;
    return { intendedMs, sentMs: intendedMs + 0.1, endMs: intendedMs + 5 + ((i * 7) % 11) / 10, outcome: "ok" };
  });
}

/** Any requests with any fate, intended in the first second. */
export const fates: fc.Arbitrary<Told[]> = fc.array(
  fc
    .record({
      intendedMs: fc.integer({ min: 0, max: 999_999 }).map((us) => us / 1000),
      lagUs: fc.integer({ min: 0, max: 50_000 }),
      serviceUs: fc.integer({ min: 1, max: 5_000_000 }),
      wasSent: fc.boolean(),
      outcome: fc.constantFrom("ok" as const, "ok", "ok", "errors", "timeouts", "unfinished"),
      kind: fc.constantFrom("status", "reset", "refused"),
    })
    .map(({ intendedMs, lagUs, serviceUs, wasSent, outcome, kind }): Told => {
      const sentMs = intendedMs + lagUs / 1000;
      const reached = outcome === "ok" || (outcome === "errors" && kind === "status") || wasSent;
      return { intendedMs, sentMs: reached ? sentMs : null, endMs: sentMs + serviceUs / 1000, outcome, kind };
    }),
  { maxLength: 60 },
);
