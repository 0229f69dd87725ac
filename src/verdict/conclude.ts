import type { Measurement } from "../record/measurement.js";
import type { Finding, RunRecord, Verdict, VerdictStatus } from "../record/record.js";
import { summarise } from "../record/summarise.js";
import { accounting } from "./accounting.js";
import type { Check } from "./check.js";
import { clientQueueing } from "./client-queueing.js";
import { closedLoop } from "./closed-loop.js";
import { cutShort } from "./cut-short.js";
import { limits } from "./limits.js";
import { little } from "./little.js";
import { rateShort } from "./rate-short.js";

export const CHECKS: readonly Check[] = [accounting, little, cutShort, limits, rateShort, clientQueueing, closedLoop];

/** Worst first: a run has the first status any check gives it. */
const STATUSES: readonly VerdictStatus[] = ["invalid", "generator-bound", "past-capacity", "too-few-samples", "valid"];
const SEVERITIES: readonly Finding["severity"][] = ["error", "warning", "info"];

/**
 * What a measurement comes to: its summaries, and what the run may be used to claim.
 *
 * @param keep `summary` leaves the record without its windows, for where it is only shown: encoding them is most of the work
 */
export function conclude(measurement: Measurement, keep: "all" | "summary" = "all"): RunRecord {
  const kept = keep === "all" ? measurement : { ...measurement, windows: [] };
  return { ...summarise(kept), verdict: judge(measurement) };
}

export function judge(measurement: Measurement, checks: readonly Check[] = CHECKS): Verdict {
  const results = checks.map(({ code, run }) => ({ code, result: run(measurement) }));
  const findings = results.flatMap(({ code, result }) =>
    result.ran && result.found !== null ? [{ code, ...result.found }] : [],
  );
  const given = results.flatMap(({ result }) => (result.ran && "status" in result ? (result.status ?? []) : []));
  return {
    status: STATUSES.find((status) => status === "valid" || given.includes(status)) ?? "valid",
    findings: findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)),
    checks: results.map(({ code, result }) => ({
      code,
      ran: result.ran,
      passed: result.ran ? result.found === null || result.found.severity === "info" : null,
    })),
  };
}
