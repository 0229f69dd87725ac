import { normalQuantile } from "./normal.js";
import type { Random } from "./random.js";

/**
 * How long a piece of work takes, by its mean and its shape. Plain data, so it can be kept in records and sent between
 * threads. Times are integer nanoseconds.
 *
 * | kind      | shape                                                   | squared coefficient of variation      |
 * |-----------|---------------------------------------------------------|---------------------------------------|
 * | const     |                                                         | 0                                     |
 * | exp       |                                                         | 1                                     |
 * | lognormal | `sigma` of the logarithm                                | e^σ² − 1                              |
 * | pareto    | `alpha` > 1: P(X > x) = (x_m/x)^α                       | 1/(α(α−2)), infinite for α ≤ 2        |
 * | bimodal   | `slowShare` of all take `slowFactor` times as long      | s(1−s)(f−1)² / (1 + s(f−1))²          |
 * | rare      | `rareShare` of all take exactly `rareNs`, others const  | s/(1−s) · (rare/mean − 1)²            |
 */
export type Distribution =
  | { readonly kind: "const"; readonly meanNs: number }
  | { readonly kind: "exp"; readonly meanNs: number }
  | { readonly kind: "lognormal"; readonly meanNs: number; readonly sigma: number }
  | { readonly kind: "pareto"; readonly meanNs: number; readonly alpha: number }
  | { readonly kind: "bimodal"; readonly meanNs: number; readonly slowShare: number; readonly slowFactor: number }
  | { readonly kind: "rare"; readonly meanNs: number; readonly rareShare: number; readonly rareNs: number };

/** Draws integer nanoseconds. Takes exactly one uniform a draw, whatever the distribution. */
export type Sampler = (random: Random) => number;

/**
 * A sampler whose mean is the distribution's, to half a nanosecond of rounding.
 *
 * Every kind inverts its survival function: the draw for u is the time exceeded with probability u. So the smallest
 * uniforms give the longest times in all of them, and two servers that differ only in shape, fed the same seed, are
 * slow on the same requests.
 */
export function createSampler(distribution: Distribution): Sampler {
  const exceeded = inverseSurvival(distribution);
  // A draw past the safe integers (104 days) can only come from a Pareto tail that no run will live to see.
  return (random) => Math.min(Math.round(exceeded(random.uniform())), Number.MAX_SAFE_INTEGER);
}

function inverseSurvival(distribution: Distribution): (u: number) => number {
  const { meanNs } = distribution;
  switch (distribution.kind) {
    case "const":
      return () => meanNs;
    case "exp":
      return (u) => -meanNs * Math.log(u);
    case "lognormal": {
      // mean = e^(µ + σ²/2)
      const { sigma } = distribution;
      const medianNs = meanNs * Math.exp(-(sigma * sigma) / 2);
      return (u) => medianNs * Math.exp(-sigma * normalQuantile(u));
    }
    case "pareto": {
      // mean = x_m · α/(α−1)
      const { alpha } = distribution;
      const leastNs = (meanNs * (alpha - 1)) / alpha;
      return (u) => leastNs * u ** (-1 / alpha);
    }
    case "bimodal": {
      const { slowShare, slowFactor } = distribution;
      const fastNs = meanNs / (1 - slowShare + slowShare * slowFactor);
      return (u) => (u < slowShare ? fastNs * slowFactor : fastNs);
    }
    case "rare": {
      const { rareShare, rareNs } = distribution;
      const otherNs = (meanNs - rareShare * rareNs) / (1 - rareShare);
      return (u) => (u < rareShare ? rareNs : otherNs);
    }
  }
}
