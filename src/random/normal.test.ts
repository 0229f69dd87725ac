import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalQuantile } from "./normal.js";

describe("normalQuantile", () => {
  // From Python's statistics.NormalDist().inv_cdf.
  it.each([
    [1e-300, -37.0470962993612],
    [1e-10, -6.361340902404056],
    [0.001, -3.090232306167813],
    [0.07, -1.4757910281791702],
    [0.3, -0.5244005127080407],
    [0.5, 0],
    [0.75, 0.6744897501960817],
    [0.975, 1.9599639845400536],
    [0.999999, 4.753424308817089],
  ])("of %d is %d", (p, z) => expect(normalQuantile(p)).toBeCloseTo(z, 12));

  it("is symmetric and rises", () => {
    const dyadic = fc.integer({ min: 1, max: 2 ** 20 - 1 }).map((k) => k / 2 ** 20);
    fc.assert(
      fc.property(dyadic, dyadic, (p, q) => {
        expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p), 12);
        expect(Math.sign(normalQuantile(p) - normalQuantile(q))).toBe(Math.sign(p - q));
      }),
    );
  });
});
