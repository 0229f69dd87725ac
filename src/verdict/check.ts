import type { Measurement } from "../record/measurement.js";
import type { Finding, VerdictStatus } from "../record/record.js";

/**
 * One way in which a run can mislead, and how it shows. A check is a pure function of the measurement; it says what it found,
 * that it found nothing, or that it could not be run. A check that did not run has not passed.
 */
export interface Check {
  readonly code: string;
  readonly run: (measurement: Measurement) => CheckResult;
}

export type CheckResult =
  | { readonly ran: false }
  | { readonly ran: true; readonly found: null }
  | {
      readonly ran: true;
      readonly found: Omit<Finding, "code">;
      /** What the run's status becomes because of it, if anything. */
      readonly status?: Exclude<VerdictStatus, "valid">;
    };

export const DID_NOT_RUN: CheckResult = { ran: false };
export const NOTHING_FOUND: CheckResult = { ran: true, found: null };
