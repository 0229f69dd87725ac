import type { Measurement } from "../record/measurement.js";
import { type Check, NOTHING_FOUND } from "./check.js";

/** The run did not go to its planned end: what there is was measured, but of a shorter run. */
export const cutShort: Check = {
  code: "cut-short",
  run: ({ ended, wallMs, requests }) => {
    const how = HOW[ended.how];
    if (how === undefined) return NOTHING_FOUND;
    const reason = "reason" in ended ? `: ${ended.reason}` : "";
    const unfinished =
      requests.unfinished > 0 ? `; ${requests.unfinished} requests were still out and count as lower bounds` : "";
    return {
      ran: true,
      ...(ended.how === "worker-lost" && { status: "invalid" as const }),
      found: {
        severity: ended.how === "worker-lost" ? "error" : "warning",
        message: `${how} after ${(wallMs / 1000).toFixed(1)} s${reason}${unfinished}`,
        evidence: { wallMs, unfinished: requests.unfinished },
        advice: "Quote it as the shorter run it was, or run again to the end.",
      },
    };
  },
};

const HOW: Partial<Record<Measurement["ended"]["how"], string>> = {
  interrupted: "interrupted",
  aborted: "aborted",
  "worker-lost": "a worker was lost",
};
