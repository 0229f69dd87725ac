import type { Endpoint, PreparedRequest } from "../driver/driver.js";
import type { SparseCells } from "../hdr/index.js";

/**
 * What coordinator and workers say to each other. A handful of plain messages over any channel that keeps their order:
 * threads now, machines later. `plan → armed → start → window* → done`, with `stop` at any time.
 */
export type ToWorker =
  | { readonly type: "plan"; readonly job: Job }
  | { readonly type: "start"; readonly atNs: number }
  /** `schedule`: nothing new, but wait for what is out. `now`: what is out stays unfinished. */
  | { readonly type: "stop"; readonly what: "schedule" | "now" };

export type FromWorker =
  | { readonly type: "armed" }
  | { readonly type: "window"; readonly window: WindowCounts }
  | { readonly type: "samples"; readonly rows: Float64Array }
  | { readonly type: "limit"; readonly sentence: string }
  | { readonly type: "done"; readonly outcomes: OutcomeCounts };

/** A worker's part of a plan, in nanoseconds and ready to run. */
export interface Job {
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
  readonly load:
    | { readonly kind: "open"; readonly arrivals: "poisson" | "constant"; readonly ratePerS: number }
    | {
        readonly kind: "closed";
        /** Of this worker. */
        readonly users: number;
        readonly thinkNs: number;
        readonly expectedIntervalNs: number | null;
      };
  readonly seed: number;
  readonly share: { readonly index: number; readonly of: number };
  readonly durationNs: number;
  /** Of all workers together. */
  readonly requests: number;
  readonly warmupNs: number;
  readonly timeoutNs: number;
  readonly windowNs: number;
  readonly keepAlive: boolean;
  readonly expectStatus: readonly (readonly [number, number])[];
  /** Of this worker. */
  readonly maxInFlight: number;
  /** Of this worker. */
  readonly maxConnections: number;
  /** Opened before the clock starts. */
  readonly preopen: number;
  readonly pacing: "auto" | "spin" | "sleep";
  readonly samples: boolean;
  readonly descriptorLimit: number;
  /** {@link RunCells} of this worker. */
  readonly cells: SharedArrayBuffer;
  /** Requests on the wire, a number for each worker: whether a request is alone is a question to all of them. */
  readonly onTheWire: SharedArrayBuffer;
}

/** One worker's part of one window, final. */
export interface WindowCounts {
  /** Windows are counted from the end of the warm-up; those before it are negative. */
  readonly index: number;
  scheduled: number;
  ok: number;
  errors: number;
  timeouts: number;
  unfinished: number;
  sent: number;
  serviceFailed: number;
  readonly response: SparseCells;
  readonly responseCensored: SparseCells;
  readonly service: SparseCells;
  readonly serviceCensored: SparseCells;
  pauses: number;
  pausedNs: number;
  longestPauseNs: number;
  inFlightAtStart: number;
  inFlightAtEnd: number;
  inFlightNs: number;
}

export interface OutcomeCounts {
  readonly byStatus: Record<string, number>;
  readonly byError: Record<string, number>;
  readonly unsentBy: Record<string, number>;
  readonly warmupUnsentBy: Record<string, number>;
  readonly details: Record<string, string>;
}

/** Columns of a row of `samples`, one row a request. Times are ns from the schedule's start, NaN where it never came so far. */
export const SAMPLE_COLUMNS = [
  "arrival",
  "intended",
  "sent",
  "firstByte",
  "done",
  "outcome",
  "status",
  "fresh",
] as const;
export const SAMPLE_OUTCOMES = ["ok", "error", "timeout", "unfinished"] as const;
