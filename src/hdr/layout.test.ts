import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layouts, oracleOf, valuesFor } from "./hdr.testkit.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";

/** The definition in exact integers, for values the oracle's logarithms cannot do. */
function exactIndex(layout: Layout, value: number): number {
  let unit = 1n;
  while (unit * 2n <= BigInt(layout.lowestDiscernible)) unit *= 2n;
  const half = BigInt(layout.halfCount);
  const units = BigInt(value) / unit;
  let shift = 0n;
  while (units >> shift >= 2n * half) shift++;
  return Number(shift * half + (units >> shift));
}

describe("Layout", () => {
  it("has the cells of the oracle", () => {
    fc.assert(
      fc.property(layouts, (layout) => {
        const oracle = oracleOf(layout);
        expect(layout.countsLength).toBe(oracle.countsArrayLength);
        expect(layout.bucketCount).toBe(oracle.bucketCount);
      }),
    );
    expect(LATENCY_LAYOUT.countsLength).toBe(33_792);
  });

  it("finds the cell exactly, up to 2^53", () => {
    for (const digits of [0, 1, 2, 3, 4, 5]) {
      for (const lowest of [1, 1000, 20_000]) {
        const layout = new Layout(lowest, Number.MAX_SAFE_INTEGER, digits);
        for (let power = 1; power <= Number.MAX_SAFE_INTEGER; power *= 2) {
          for (const value of [power - 1, power, power + 1, Math.floor(power * 1.5)]) {
            if (value > Number.MAX_SAFE_INTEGER) continue;
            expect(layout.indexOf(value)).toBe(exactIndex(layout, value));
          }
        }
        expect(layout.indexOf(Number.MAX_SAFE_INTEGER)).toBe(layout.countsLength - 1);
      }
    }
  });

  it("keeps every value between its cell's edges, within the promised precision", () => {
    const cases = layouts.chain((layout) => fc.tuple(fc.constant(layout), valuesFor(layout)));
    fc.assert(
      fc.property(cases, ([layout, value]) => {
        const index = layout.indexOf(value);
        expect(index).toBeLessThan(layout.countsLength);
        expect(layout.lowestAt(index)).toBeLessThanOrEqual(value);
        expect(layout.highestAt(index)).toBeGreaterThanOrEqual(value);
        const width = layout.highestAt(index) - layout.lowestAt(index) + 1;
        expect(width).toBeLessThanOrEqual(Math.max(layout.lowestDiscernible, value * 10 ** -layout.significantDigits));
        expect(layout.medianAt(index)).toBe(layout.lowestAt(index) + Math.floor(width / 2));
      }),
    );
  });

  it("has cells without gap or overlap, and ends at its limit", () => {
    const layout = new Layout(1000, 1e9, 2);
    for (let index = 1; index < layout.countsLength; index++) {
      expect(layout.lowestAt(index)).toBe(layout.highestAt(index - 1) + 1);
      expect(layout.indexOf(layout.lowestAt(index))).toBe(index);
      expect(layout.indexOf(layout.highestAt(index))).toBe(index);
    }
    expect(layout.highestAt(layout.countsLength - 1) + 1).toBe(layout.limit);
    for (const value of [layout.limit, layout.limit * 2, 1e300, Number.POSITIVE_INFINITY]) {
      expect(layout.indexOf(value)).toBeGreaterThanOrEqual(layout.countsLength);
    }
  });

  it("rounds fractions down and takes −0 for 0", () => {
    expect(LATENCY_LAYOUT.indexOf(7.999)).toBe(7);
    expect(LATENCY_LAYOUT.indexOf(2 ** 35 + 0.5)).toBe(LATENCY_LAYOUT.indexOf(2 ** 35));
    expect(LATENCY_LAYOUT.indexOf(-0)).toBe(0);
  });

  it("refuses what is no value", () => {
    for (const value of [Number.NaN, -1, -1e-9, Number.NEGATIVE_INFINITY, -(2 ** 40)]) {
      expect(() => LATENCY_LAYOUT.indexOf(value)).toThrow(RangeError);
      expect(() => LATENCY_LAYOUT.indexOf(value)).toThrow(`not ${value}`);
    }
  });

  it.each([
    [0, 100, 3],
    [1.5, 100, 3],
    [10, 19, 3],
    [1, 2 ** 53, 3],
    [1, Number.NaN, 3],
    [1, 100, 6],
    [1, 100, -1],
    [1, 100, 2.5],
  ])("refuses lowest %d, highest %d, digits %d", (lowest, highest, digits) => {
    expect(() => new Layout(lowest, highest, digits)).toThrow(RangeError);
  });

  it("equals a layout with the same cells", () => {
    expect(new Layout(16_384, 1e9, 2).equals(new Layout(20_000, 1e9, 2))).toBe(true);
    expect(LATENCY_LAYOUT.equals(new Layout(1, 3.6e12, 3))).toBe(true);
    expect(LATENCY_LAYOUT.equals(new Layout(1, 3.6e12, 2))).toBe(false);
    expect(LATENCY_LAYOUT.equals(new Layout(2, 3.6e12, 3))).toBe(false);
    expect(LATENCY_LAYOUT.equals(new Layout(1, 3.6e9, 3))).toBe(false);
  });
});
