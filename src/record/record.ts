import type { RecordedPlan } from "../plan/plan.js";
import type { EncodedObservations, Summary } from "../stats/summary.js";

export const RUN_SCHEMA = "tailrace/run@1";

/**
 * All there is to know of one run: what was planned, what happened to every scheduled request, and how long it took.
 * Every verb reads or writes it; reports, comparisons and merges need nothing else.
 *
 * Times are milliseconds (`…Ms`), rates per second (`…PerS`), histograms HdrHistogram V2 compressed base64 in nanoseconds.
 */
export interface RunRecord {
  readonly schema: typeof RUN_SCHEMA;
  readonly runId: string;
  readonly plan: RecordedPlan;
  readonly tool: { readonly name: string; readonly version: string };
  readonly host: Host;
  /** ISO 8601, of the schedule's start. */
  readonly startedAt: string;
  /** From the schedule's start until the last request had ended. */
  readonly wallMs: number;
  readonly ended: Ending;
  /** The measured requests; those of the warm-up are in `warmup`. */
  readonly requests: RequestCounts;
  readonly warmup: RequestCounts | null;
  readonly attempts: Attempts;
  readonly rate: Rate;
  /**
   * Time-integral of the requests due and not ended, warm-up and drain included, found by counting them and not from their
   * clocks: the L of Little's law times the run's length. `null` where it was not counted.
   */
  readonly inFlightMs: number | null;
  readonly latency: Latency;
  readonly outcomes: Outcomes;
  readonly windows: readonly WindowRecord[];
  readonly generator: Generator;
  readonly verdict: Verdict;
}

export interface Host {
  readonly hostname: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly runtime: string;
  /** Where the requests went: the address dialled, or the socket's path. */
  readonly target: string;
}

/** How the run came to its end. Anything but `completed` cut the schedule where it stood. */
export type RunEnding =
  | { readonly how: "completed" }
  | { readonly how: "interrupted" }
  | { readonly how: "aborted"; readonly reason: string }
  | { readonly how: "worker-lost"; readonly reason: string };

export type Ending =
  | RunEnding
  /** `runs`: how many runs it is of; shares of one run are one. */
  | { readonly how: "merged"; readonly runs: number; readonly parts: readonly MergedPart[] };

/** One of the records that a merged one is made of: enough to know it again, and what of it a sum does not tell. */
export interface MergedPart {
  readonly runId: string;
  readonly startedAt: string;
  readonly hostname: string;
  readonly wallMs: number;
  readonly scheduled: number;
  readonly seed: number;
  readonly ended: RunEnding;
  /** Where its run's windows begin among those of the merged record. Nothing that spans this place is one stretch of time. */
  readonly firstWindow: number;
}

/**
 * `scheduled = ok + errors + timeouts + unfinished = sent + unsent`. `unsentBy` says why the unsent never reached a
 * socket: an error kind (`refused`), `timeout` (while waiting for a connection) or `cut-off` (the run was stopped).
 */
export interface RequestCounts {
  readonly scheduled: number;
  readonly ok: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly unfinished: number;
  readonly sent: number;
  readonly unsent: number;
  readonly unsentBy: Readonly<Record<string, number>>;
}

/** The second ledger: what was done on the wire for those requests, warm-up included. */
export interface Attempts {
  /** Times a request's bytes were handed to a socket. */
  readonly attempts: number;
  readonly hedges: number;
  readonly retries: number;
  /** A reused connection died before the first byte, and the request went out once more on a fresh one. */
  readonly staleRetries: number;
  /** Given up on the wire, at a timeout or at the end; the connection went with it. */
  readonly cancelled: number;
  readonly connectionsOpened: number;
  /** Attempts on a connection that had carried an exchange before. */
  readonly connectionsReused: number;
  /** Connections the other side closed or reset, answered `Connection: close` ones not among them. */
  readonly connectionsLost: number;
  /** Closed in good order because the answer said so, or no keep-alive was asked for. */
  readonly connectionsClosed: number;
  readonly connectFailures: number;
}

export interface Rate {
  /** What the plan asked for; `null` for a closed loop. */
  readonly targetPerS: number | null;
  /** Sent by the schedule's end, over the schedule's length. */
  readonly achievedPerS: number;
  /** Wholly answered (ok or error status) by the schedule's end, over the schedule's length. */
  readonly answeredPerS: number;
  /** Sent by the schedule's end over scheduled by then: free of the schedule's own randomness. */
  readonly sentVsScheduled: number;
}

/** The clocks a request is timed by. See the guide for which question each answers. */
export const CLOCKS = [
  "response",
  "answered",
  "service",
  "sendLag",
  "alone",
  "lateness",
  "queue",
  "connect",
  "firstByte",
  "transfer",
  "corrected",
] as const;

export type ClockName = (typeof CLOCKS)[number];

/**
 * `response = sendLag + service`, `sendLag = lateness + queue + connect`, `service = firstByte + transfer`, for each
 * answered request. A clock nothing was recorded on is `null`.
 */
export type Latency = { readonly [Clock in ClockName]: Summary | null };

export interface Outcomes {
  /** Answers by status code, expected or not. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** Failures by kind, `status` being an answer whose code was not expected. */
  readonly byError: Readonly<Record<string, number>>;
  /** One example of what was said, by kind. */
  readonly details: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
}

/** Requests intended from `startMs` until `startMs + widthMs`, whenever they ended. Windows add up to the run exactly. */
export interface WindowRecord {
  /** From the schedule's start. */
  readonly startMs: number;
  readonly widthMs: number;
  readonly warmup: boolean;
  readonly requests: Omit<RequestCounts, "unsentBy">;
  readonly response: EncodedObservations;
  readonly service: EncodedObservations;
  readonly pauses: Pauses;
  /** Due and not ended, at the window's edges. */
  readonly inFlight: { readonly atStart: number; readonly atEnd: number; readonly meanOverWindow: number };
}

/** Moments in which the generator itself stood still (garbage collection, a busy core). */
export interface Pauses {
  readonly count: number;
  readonly totalMs: number;
  readonly maxMs: number;
}

/** What the run cost this machine, and which of its limits it met. */
export interface Generator {
  readonly cpuUserMs: number;
  readonly cpuSystemMs: number;
  readonly maxRssBytes: number;
  readonly pauses: Pauses;
  /** Requests that waited in the schedule because `maxInFlight` were out. */
  readonly heldBack: number;
  /** Sentences about limits that were hit: descriptors, local ports, full disks. */
  readonly limits: readonly string[];
}

export type VerdictStatus = "invalid" | "generator-bound" | "past-capacity" | "too-few-samples" | "valid";

/** One named reason for or against quoting the run. */
export interface Finding {
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly evidence: Readonly<Record<string, number | string>>;
  readonly advice: string;
}

export interface Verdict {
  readonly status: VerdictStatus;
  readonly findings: readonly Finding[];
  /** Checks that are not listed, or did not run, say nothing. */
  readonly checks: readonly { readonly code: string; readonly ran: boolean; readonly passed: boolean | null }[];
}
