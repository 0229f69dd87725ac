import type { AbortCondition } from "../plan/plan.js";
import { formatShare } from "../units/probability.js";

/** Shares are judged over this much of the recent past, and only once so many requests ended in it. */
const LOOK_BACK_MS = 5000;
const FEWEST_ENDED = 20;

interface Tally {
  readonly atMs: number;
  readonly ended: number;
  readonly errors: number;
  readonly timeouts: number;
}

/** Watches a run for the conditions of `--abort-on`. A count is of the whole run, a share of its last five seconds. */
export class AbortWatch {
  private readonly conditions: readonly AbortCondition[];
  private tallies: Tally[] = [{ atMs: 0, ended: 0, errors: 0, timeouts: 0 }];

  constructor(conditions: readonly AbortCondition[]) {
    this.conditions = conditions;
  }

  /** @returns why the run should end, or `undefined` */
  look(tally: Tally): string | undefined {
    this.tallies.push(tally);
    while (this.tallies.length > 2 && this.tallies[1]!.atMs <= tally.atMs - LOOK_BACK_MS) this.tallies.shift();
    const since = this.tallies[0]!;
    const ended = tally.ended - since.ended;
    for (const { metric, measure, threshold } of this.conditions) {
      const total = counted(tally, metric);
      if (measure === "count" && total > threshold) return `${total} ${metric}, more than ${threshold}`;
      const share = (total - counted(since, metric)) / ended;
      if (measure === "share" && ended >= FEWEST_ENDED && share > threshold) {
        const seconds = Math.max(1, Math.round((tally.atMs - since.atMs) / 1000));
        return `${formatShare(share)} ${metric} over the last ${seconds} s, more than ${formatShare(threshold)}`;
      }
    }
    return undefined;
  }
}

function counted(tally: Tally, metric: AbortCondition["metric"]): number {
  return (metric === "timeouts" ? 0 : tally.errors) + (metric === "errors" ? 0 : tally.timeouts);
}
