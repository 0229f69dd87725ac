import type { Distribution } from "../random/distribution.js";
import { formatDuration } from "../units/duration.js";
import { formatShare } from "../units/probability.js";
import { formatCount, formatRate } from "../units/rate.js";
import type { Behaviour } from "./behaviour.js";
import { capacityPerS } from "./capacity.js";

/** The behaviour in one line: `1 worker · exp 5 ms → capacity 200/s · seed 1`, with every knob that is turned. */
export function describeBehaviour(behaviour: Behaviour): string {
  const { workers } = behaviour;
  const capacity = capacityPerS(behaviour);
  return [
    workers === 0 ? "unlimited workers" : workers === 1 ? "1 worker" : `${formatCount(workers)} workers`,
    describeDistribution(behaviour.service),
    ...describeKnobs(behaviour),
  ]
    .join(" · ")
    .concat(capacity === Number.POSITIVE_INFINITY ? "" : ` → capacity ${formatRate(capacity)}`)
    .concat(` · seed ${behaviour.seed}`);
}

function describeDistribution(distribution: Distribution): string {
  const mean = `${distribution.kind} ${brief(distribution.meanNs)}`;
  switch (distribution.kind) {
    case "const":
    case "exp":
      return mean;
    case "lognormal":
      return `${mean} (sigma ${distribution.sigma})`;
    case "pareto":
      return `${mean} (alpha ${distribution.alpha})`;
    case "bimodal":
      return `${mean} (${formatShare(distribution.slowShare)} take ${distribution.slowFactor}x)`;
    case "rare":
      return `${mean} (${formatShare(distribution.rareShare)} take ${brief(distribution.rareNs)})`;
  }
}

function describeKnobs(behaviour: Behaviour): string[] {
  const { slowProbability, slowNs, slowBy, stallEveryNs, stallNs, loadFactor, cold, lockProbability } = behaviour;
  const { limitPerS, queueLimit, afterOverloadNs, afterOverloadFactor } = behaviour;
  const { failProbability, failStatus, resetProbability, cancel } = behaviour;
  const slow = `${formatShare(slowProbability)} slow ${brief(slowNs)}${slowBy === "request" ? " by request" : ""}`;
  const overload = `${afterOverloadFactor}x for ${brief(afterOverloadNs)} after overload`;
  const knobs: readonly (readonly [boolean, string])[] = [
    [slowProbability > 0, slow],
    [stallEveryNs > 0, `frozen ${brief(stallNs)} after every ${brief(stallEveryNs)}`],
    [loadFactor > 0, `+${formatShare(loadFactor)} for each in the system`],
    [cold > 0, `${formatCount(cold)} cold`],
    [lockProbability > 0, `${formatShare(lockProbability)} lock ${brief(behaviour.lockNs)}`],
    [limitPerS > 0, `limit ${formatRate(limitPerS)}`],
    [queueLimit !== undefined, `queue limit ${formatCount(queueLimit ?? 0)}`],
    [afterOverloadFactor > 1, overload],
    [failProbability > 0, `${formatShare(failProbability)} fail with ${failStatus}`],
    [resetProbability > 0, `${formatShare(resetProbability)} reset`],
    [cancel, "hang-ups cancel"],
  ];
  return knobs.filter(([turned]) => turned).map(([, text]) => text);
}

/** `5 ms` rather than `5.00 ms`: what was asked for, not what was measured. */
function brief(ns: number): string {
  return formatDuration(ns).replace(/\.(\d*?)0+ /, (_, kept: string) => (kept === "" ? " " : `.${kept} `));
}
