import type { Plan } from "../plan/plan.js";
import type { RunRecord } from "./record.js";

/**
 * Carries out a plan, live or simulated. Aborting the signal cuts the schedule where it stands; the record of what was
 * measured is returned all the same.
 */
export type Runner = (plan: Plan, signal: AbortSignal) => Promise<RunRecord>;
