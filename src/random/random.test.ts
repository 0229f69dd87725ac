import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "./random.js";

const draws = (seed: number, stream: string, n: number) => {
  const random = createRandom(seed, stream);
  return Array.from({ length: n }, () => random.uniform());
};

/** Pearson's coefficient. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  const moment = (x: readonly number[], meanX: number, y: readonly number[], meanY: number) =>
    x.reduce((sum, value, i) => sum + (value - meanX) * (y[i]! - meanY), 0);
  return moment(a, meanA, b, meanB) / Math.sqrt(moment(a, meanA, a, meanA) * moment(b, meanB, b, meanB));
}

describe("createRandom", () => {
  it("gives the same numbers for the same seed and stream, for ever", () => {
    // Pinned: a record's seed must bring its schedule back in every later version.
    expect(draws(1, "arrivals", 3)).toEqual([0.8851858543732786, 0.44681848592656526, 0.13525330429907456]);
    expect(draws(1, "arrivals", 100)).toEqual(draws(1, "arrivals", 100));
  });

  it("gives numbers between 0 and 1, neither of them included, each a cell's midpoint", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string(), (seed, stream) => {
        for (const value of draws(seed, stream, 20)) {
          expect(value > 0 && value < 1).toBe(true);
          expect((value * 2 ** 53) % 2).toBe(1);
        }
      }),
    );
  });

  it("tells seeds apart over their whole range, and their signs", () => {
    const seeds = [0, 1, -1, 255, 256, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52, 2 ** 53 - 1, -(2 ** 53 - 1)];
    const firsts = seeds.flatMap((seed) => ["arrivals", "service"].map((stream) => draws(seed, stream, 1)[0]));
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  it("is uniform: as many in each of 64 equal parts, for first draws of neighbouring seeds as for one sequence", () => {
    const n = 64_000;
    const sequences = {
      firsts: Array.from({ length: n }, (_, seed) => draws(seed, "service", 1)[0]!),
      one: draws(3, "x", n),
    };
    for (const values of Object.values(sequences)) {
      const cells = Array.from({ length: 64 }, () => 0);
      for (const value of values) cells[Math.floor(value * 64)]!++;
      const chiSquared = cells.reduce((sum, count) => sum + (count - n / 64) ** 2 / (n / 64), 0);
      // 63 degrees of freedom: mean 63, standard deviation 11.2; 120 is past the 99.99th percentile.
      expect(chiSquared).toBeLessThan(120);
      expect(chiSquared).toBeGreaterThan(25);
    }
  });

  it("leaves streams and neighbouring seeds, and a number and its next, unrelated", () => {
    const n = 20_000;
    const one = draws(7, "arrivals", n);
    const firsts = Array.from({ length: n }, (_, seed) => draws(seed, "arrivals", 1)[0]!);
    const pairs = [
      [one, draws(7, "service", n)],
      [one, draws(8, "arrivals", n)],
      [one.slice(1), one.slice(0, -1)],
      [firsts.slice(1), firsts.slice(0, -1)],
    ] as const;
    // The coefficient of n unrelated pairs has a standard deviation of 1/√n.
    for (const [a, b] of pairs) expect(Math.abs(correlation(a, b))).toBeLessThan(4 / Math.sqrt(n));
  });
});
