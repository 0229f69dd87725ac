import type { RecordedPlan } from "../plan/plan.js";
import type { Observations } from "../stats/summary.js";
import type { Attempts, ClockName, Ending, Generator, Host, Outcomes, Pauses, Rate, RequestCounts } from "./record.js";

/**
 * A run as it was measured, before anything is concluded from it: a record with its histograms open, in ns. What is live,
 * simulated, merged or read back from a file comes to this, and `conclude` makes the record of it.
 */
export interface Measurement {
  readonly runId: string;
  readonly plan: RecordedPlan;
  readonly tool: { readonly name: string; readonly version: string };
  readonly host: Host;
  readonly startedAt: string;
  readonly wallMs: number;
  readonly ended: Ending;
  readonly requests: RequestCounts;
  readonly warmup: RequestCounts | null;
  readonly attempts: Attempts;
  readonly rate: Rate;
  readonly outcomes: Outcomes;
  readonly generator: Generator;
  /** See `RunRecord`; `null` where it was not counted. */
  readonly inFlightMs: number | null;
  /** Only clocks on which something was recorded. */
  readonly clocks: Readonly<Partial<Record<ClockName, Observations>>>;
  readonly windows: readonly MeasuredWindow[];
}

/** Where a run has more windows than this, neighbours are added, so that its record's size does not depend on its length. */
export const MOST_WINDOWS = 512;

export interface MeasuredWindow {
  readonly startMs: number;
  readonly widthMs: number;
  readonly warmup: boolean;
  readonly requests: Omit<RequestCounts, "unsentBy">;
  readonly response: Observations;
  readonly service: Observations;
  readonly pauses: Pauses;
  readonly inFlight: { readonly atStart: number; readonly atEnd: number; readonly meanOverWindow: number };
}
