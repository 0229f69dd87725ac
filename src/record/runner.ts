import type { Plan } from "../plan/plan.js";
import type { RunRecord } from "./record.js";

/** What a runner needs of an AbortSignal, so that the pure rooms need no platform. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}

/**
 * Carries out a plan, live or simulated. Aborting the signal cuts the schedule where it stands; the record of what was
 * measured is returned all the same.
 */
export type Runner = (plan: Plan, signal: StopSignal) => Promise<RunRecord>;
