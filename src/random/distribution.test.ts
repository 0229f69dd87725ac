import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSampler, type Distribution } from "./distribution.js";
import { createRandom, type Random } from "./random.js";

const MEAN_NS = 10_000_000;

/** One of each kind, with its squared coefficient of variation in closed form. */
const KINDS: readonly (readonly [Distribution, number])[] = [
  [{ kind: "const", meanNs: MEAN_NS }, 0],
  [{ kind: "exp", meanNs: MEAN_NS }, 1],
  [{ kind: "lognormal", meanNs: MEAN_NS, sigma: 0.8 }, Math.exp(0.64) - 1],
  [{ kind: "pareto", meanNs: MEAN_NS, alpha: 5 }, 1 / 15],
  [{ kind: "bimodal", meanNs: MEAN_NS, slowShare: 0.1, slowFactor: 10 }, (0.09 * 81) / 1.9 ** 2],
  [{ kind: "rare", meanNs: MEAN_NS, rareShare: 0.05, rareNs: 100_000_000 }, (0.05 / 0.95) * 81],
];

/** The middles of n equal strata of (0, 1): sums over these are integrals over the distribution. */
function strata(n: number): Random {
  let i = 0;
  return { uniform: () => (i++ + 0.5) / n };
}

function moments(distribution: Distribution, random: Random, n: number) {
  const draw = createSampler(distribution);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const ns = draw(random);
    sum += ns;
    squares += ns * ns;
  }
  const mean = sum / n;
  return { mean, squaredVariation: squares / n / mean ** 2 - 1 };
}

describe("createSampler", () => {
  it.each(KINDS)("$kind has the mean and the variation of its closed form", (distribution, squaredVariation) => {
    const found = moments(distribution, strata(200_000), 200_000);
    expect(found.mean / MEAN_NS).toBeCloseTo(1, 3);
    expect(Math.abs(found.squaredVariation - squaredVariation)).toBeLessThan(0.01);
  });

  it.each(KINDS)("$kind drawn from a seed comes close to them", (distribution, squaredVariation) => {
    const found = moments(distribution, createRandom(7, "service"), 200_000);
    expect(Math.abs(found.mean / MEAN_NS - 1)).toBeLessThan(0.01);
    expect(Math.abs(found.squaredVariation - squaredVariation)).toBeLessThan(0.1);
  });

  it.each(KINDS)("$kind takes exactly one uniform a draw and gives whole nanoseconds", (distribution) => {
    const draw = createSampler(distribution);
    let taken = 0;
    const random = createRandom(3, "service");
    const counting: Random = {
      uniform: () => {
        taken++;
        return random.uniform();
      },
    };
    for (let i = 1; i <= 1000; i++) {
      expect(Number.isSafeInteger(draw(counting))).toBe(true);
      expect(taken).toBe(i);
    }
  });

  it("gives the longest times to the smallest uniforms, in every kind", () => {
    const uniform = fc.double({ min: 2 ** -53, max: 1 - 2 ** -53, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), uniform, uniform, ([distribution], a, b) => {
        const draw = createSampler(distribution);
        const less = draw({ uniform: () => Math.max(a, b) });
        const more = draw({ uniform: () => Math.min(a, b) });
        return less <= more;
      }),
    );
  });

  it("rare:5%:100ms at mean 10 ms takes 100 ms or 5.263 ms", () => {
    const draw = createSampler({ kind: "rare", meanNs: MEAN_NS, rareShare: 0.05, rareNs: 100_000_000 });
    const random = createRandom(1, "service");
    const values = new Map<number, number>();
    for (let i = 0; i < 100_000; i++) {
      const ns = draw(random);
      values.set(ns, (values.get(ns) ?? 0) + 1);
    }
    expect([...values.keys()].sort((a, b) => a - b)).toEqual([5_263_158, 100_000_000]);
    expect(values.get(100_000_000)! / 100_000).toBeCloseTo(0.05, 2);
  });

  it("with a mean of zero always takes no time", () => {
    for (const kind of ["const", "exp"] as const) {
      const draw = createSampler({ kind, meanNs: 0 });
      expect(Math.abs(draw(createRandom(1, "service")))).toBe(0);
    }
  });
});
