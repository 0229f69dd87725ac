/** tailrace as a library: run a plan, read what came of it. */
export { measure, type RunOptions } from "./engine/coordinator.js";
export { TargetError } from "./engine/target.js";
export type { Plan, RecordedPlan } from "./plan/plan.js";
export { resolvePlan } from "./plan/resolve.js";
export type { RunRecord } from "./record/record.js";
export type { Runner } from "./record/runner.js";
export { conclude } from "./verdict/conclude.js";
