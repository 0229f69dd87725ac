import type { Observations } from "../stats/summary.js";
import type { ClockName, RunRecord, WindowRecord } from "./record.js";

/**
 * A run as it was measured, before anything is concluded from it: a record with its histograms open, in ns. What is live,
 * simulated, merged or read back from a file comes to this, and `conclude` makes the record of it.
 */
export interface Measurement extends Omit<RunRecord, "schema" | "latency" | "windows" | "verdict"> {
  /** Only clocks on which something was recorded. */
  readonly clocks: Readonly<Partial<Record<ClockName, Observations>>>;
  readonly windows: readonly MeasuredWindow[];
}

/** Where a run has more windows than this, neighbours are added, so that its record's size does not depend on its length. */
export const MOST_WINDOWS = 512;

export interface MeasuredWindow extends Omit<WindowRecord, "response" | "service"> {
  readonly response: Observations;
  readonly service: Observations;
}
