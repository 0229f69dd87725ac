import type { Ending, RunEnding } from "../record/record.js";
import { type Check, NOTHING_FOUND } from "./check.js";

/** The run did not go to its planned end: what there is was measured, but of a shorter run. */
export const cutShort: Check = {
  code: "cut-short",
  run: ({ ended, wallMs, requests }) => {
    const cuts = cutsOf(ended, wallMs);
    if (cuts.length === 0) return NOTHING_FOUND;
    const lost = cuts.some(({ how }) => how === "worker-lost");
    const unfinished =
      requests.unfinished > 0 ? `; ${requests.unfinished} requests were still out and count as lower bounds` : "";
    return {
      ran: true,
      ...(lost && { status: "invalid" as const }),
      found: {
        severity: lost ? "error" : "warning",
        message: `${cuts.map(({ what }) => what).join("; ")}${unfinished}`,
        evidence: { wallMs, unfinished: requests.unfinished },
        advice: "Quote it as the shorter run it was, or run again to the end.",
      },
    };
  },
};

const HOW: Readonly<Record<RunEnding["how"], string | null>> = {
  completed: null,
  interrupted: "interrupted",
  aborted: "aborted",
  "worker-lost": "a worker was lost",
};

interface Cut {
  readonly how: RunEnding["how"];
  readonly what: string;
}

/** A merged record was cut short where any of its parts was. */
function cutsOf(ended: Ending, wallMs: number): readonly Cut[] {
  if (ended.how === "merged") {
    return ended.parts.flatMap((part) =>
      cutsOf(part.ended, part.wallMs).map(({ how, what }) => ({ how, what: `run ${part.runId}: ${what}` })),
    );
  }
  const cut = HOW[ended.how];
  const reason = "reason" in ended ? `: ${ended.reason}` : "";
  return cut === null ? [] : [{ how: ended.how, what: `${cut} after ${(wallMs / 1000).toFixed(1)} s${reason}` }];
}
