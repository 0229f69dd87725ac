import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankOfPercentile } from "./distribution.js";
import { oracleOf, samples } from "./hdr.testkit.js";
import { Histogram } from "./histogram.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";

const MS = 1e6;
const PERCENTILES = [0, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100];

function recorded(values: readonly number[], layout = LATENCY_LAYOUT): Histogram {
  const histogram = new Histogram(layout);
  for (const value of values) histogram.record(value);
  return histogram;
}

/** The value rounded up to the end of its cell. */
const upper = (value: number) => LATENCY_LAYOUT.highestAt(LATENCY_LAYOUT.indexOf(value));

describe("answers", () => {
  it("are those of the oracle", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const [ours, oracle] = [recorded(values, layout), oracleOf(layout)];
        for (const value of values) oracle.recordValue(value);
        expect(ours.total).toBe(oracle.totalCount);
        expect(Math.abs(ours.mean - oracle.mean)).toBeLessThanOrEqual(oracle.mean * 1e-12);
        expect(Math.abs(ours.stdev - oracle.stdDeviation)).toBeLessThanOrEqual(oracle.mean * 1e-12);
        for (const p of PERCENTILES) expect(ours.valueAtPercentile(p)).toBe(oracle.getValueAtPercentile(p));
      }),
    );
  });

  it("are within three digits of the sorted values", () => {
    const values = fc.array(fc.integer({ min: 0, max: 3.6e12 }), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(values, (unsorted) => {
        const sorted = unsorted.toSorted((a, b) => a - b);
        const histogram = recorded(unsorted);
        const within = (answer: number, exact: number) => Math.abs(answer - exact) <= exact * 1e-3;
        for (const p of PERCENTILES.slice(1)) {
          expect(within(histogram.valueAtPercentile(p), sorted[rankOfPercentile(p, sorted.length) - 1]!)).toBe(true);
        }
        for (const [i, exact] of sorted.entries()) expect(within(histogram.valueAtRank(i + 1), exact)).toBe(true);
        expect(within(histogram.min, sorted[0]!)).toBe(true);
        expect(within(histogram.max, sorted.at(-1)!)).toBe(true);
        const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
        expect(within(histogram.mean, mean)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("come in the order asked for", () => {
    const histogram = recorded(Array.from({ length: 1000 }, (_, i) => i + 1));
    expect(histogram.valuesAtPercentiles([99, 0, 50, 99.9, 50])).toEqual([990, 1, 500, 999, 500]);
    expect(histogram.valuesAtPercentiles([])).toEqual([]);
  });

  it("are NaN without values", () => {
    const empty = new Histogram();
    expect(empty.total).toBe(0);
    for (const answer of [empty.min, empty.max, empty.mean, empty.stdev, empty.valueAtPercentile(50)]) {
      expect(answer).toBeNaN();
    }
    expect([empty.tailCount(99), empty.countAbove(0), empty.countAtOrBelow(0)]).toEqual([0, 0, 0]);
    expect(() => empty.valueAtRank(1)).toThrow(RangeError);
  });

  it("take overflowed values for infinite", () => {
    const histogram = recorded([...Array.from({ length: 98 }, () => 10), Number.POSITIVE_INFINITY, 1e15]);
    expect(histogram.valuesAtPercentiles([50, 98, 98.5, 100])).toEqual([10, 10, Infinity, Infinity]);
    expect([histogram.min, histogram.max, histogram.mean, histogram.stdev]).toEqual([10, Infinity, Infinity, Infinity]);
    expect([histogram.valueAtRank(98), histogram.valueAtRank(99)]).toEqual([10, Infinity]);
    expect([histogram.countAbove(10), histogram.countAbove(1e15), histogram.countAbove(Infinity)]).toEqual([2, 2, 0]);
    expect(recorded([1e15]).valuesAtPercentiles([0, 50])).toEqual([Infinity, Infinity]);
  });

  it("refuse percentiles and ranks that are none", () => {
    const histogram = recorded([1, 2, 3]);
    for (const p of [-1, 100.1, Number.NaN]) {
      expect(() => histogram.valueAtPercentile(p)).toThrow(RangeError);
      expect(() => histogram.tailCount(p)).toThrow(RangeError);
    }
    for (const rank of [0, 4, Number.NaN]) expect(() => histogram.valueAtRank(rank)).toThrow(RangeError);
    expect(() => histogram.countAbove(Number.NaN)).toThrow(RangeError);
  });

  it("count what lies above a value, but for its own cell", () => {
    const histogram = recorded([1, 2, 2, 3, 1_000_000, 1_000_001]);
    expect(histogram.countAbove(2)).toBe(3);
    expect(histogram.countAtOrBelow(2)).toBe(3);
    expect(histogram.countAbove(1_000_000)).toBe(0);
  });
});

describe("rankOfPercentile", () => {
  it("is exact where floating point is not", () => {
    for (const [p, n, rank] of [
      [99.9, 1000, 999],
      [99.99, 10_000, 9999],
      [99.9, 10_000_000, 9_990_000],
      [55, 100, 55],
      [7, 100, 7],
      [0.1, 3000, 3],
      [99.999, 1e9, 999_990_000],
    ] as const) {
      expect(rankOfPercentile(p, n)).toBe(rank);
    }
  });

  it("rounds up in exact arithmetic, for percentiles of up to four decimals", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 1e9 }), (parts, n) => {
        const exact = (BigInt(parts) * BigInt(n) + 999_999n) / 1_000_000n;
        expect(rankOfPercentile(parts / 10_000, n)).toBe(Number(exact));
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves ten of 1,000 beyond p99 and ten of 10,000 beyond p99.9", () => {
    const histogram = new Histogram();
    histogram.recordN(5, 1000);
    expect(histogram.tailCount(99)).toBe(10);
    histogram.recordN(6, 9000);
    expect(histogram.tailCount(99.9)).toBe(10);
    expect(histogram.tailCount(100)).toBe(0);
  });
});

describe("figures: percentiles and the mean", () => {
  it("99 requests at 10 ms and one at 10 s have a mean that describes nobody", () => {
    const histogram = new Histogram();
    histogram.recordN(10 * MS, 99);
    histogram.record(10_000 * MS);
    expect(histogram.mean / MS).toBeCloseTo(109.9, 0);
    expect(histogram.valueAtPercentile(50)).toBe(upper(10 * MS));
    expect(histogram.max).toBe(upper(10_000 * MS));
  });

  it("percentiles do not average: p99 of 50 and 500 ms are not 275 together", () => {
    const spike = (p99: number) => {
      const histogram = new Histogram();
      histogram.recordN(10 * MS, 980);
      histogram.recordN(p99, 20);
      return histogram;
    };
    const [fast, slow] = [spike(50 * MS), spike(500 * MS)];
    expect([fast, slow].map((one) => one.valueAtPercentile(99))).toEqual([upper(50 * MS), upper(500 * MS)]);
    fast.add(slow);
    // Of 2,000, the slow server's 20 are the slowest 1 %: the rank just below them decides.
    expect(fast.valueAtPercentile(99)).toBe(upper(50 * MS));
  });

  it.each([
    { stalled: 20, above: true },
    { stalled: 2000, above: false },
  ])("averaged window p99s err in either direction ($stalled requests in the stalled window)", ({ stalled, above }) => {
    const layout = new Layout(1, 3.6e12, 3);
    const windows = Array.from({ length: 20 }, (_, w) => {
      const slow = w === 0;
      const count = slow ? stalled : 2000;
      return Array.from({ length: count }, (_, i) =>
        slow ? ((i + 1) / count) * 450 * MS : (5 + (20 * (i + 1)) / count) * MS,
      );
    });
    const histograms = windows.map((values) => recorded(values, layout));
    const average = histograms.reduce((sum, one) => sum + one.valueAtPercentile(99), 0) / histograms.length;
    const all = windows.flat().sort((a, b) => a - b);
    const truth = all[rankOfPercentile(99, all.length) - 1]!;
    const run = new Histogram(layout);
    for (const one of histograms) run.add(one);
    expect(Math.abs(run.valueAtPercentile(99) - truth)).toBeLessThan(truth * 1e-3);
    expect(average > 1.5 * truth).toBe(above);
    expect(average < truth / 1.5).toBe(!above);
  });
});
