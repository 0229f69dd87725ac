import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../hdr/hdr.testkit.js";
import { LATENCY_LAYOUT, SparseHistogram } from "../hdr/index.js";
import { addObservations, atBounds, countOf, NO_OBSERVATIONS, type Observations, percentileOf } from "./summary.js";

const MS = 1e6;

function histogram(timesMs: readonly number[], overflow = 0): SparseHistogram {
  const made = new SparseHistogram();
  for (const ms of timesMs) made.addIndex(LATENCY_LAYOUT.indexOf(ms * MS));
  made.addOverflow(overflow);
  return made;
}

const times = (n: number, ms: number) => Array.from({ length: n }, () => ms);
const observed = (known: readonly number[], censored: readonly number[] = [], failed = 0): Observations => ({
  known: histogram(known),
  censored: histogram(censored),
  failed,
});

/** A percentile in ms, to the histogram's three digits. */
function at(observations: Observations, p: number) {
  const { valueNs, status, tailCount } = percentileOf(observations, p);
  return { ms: Number((valueNs / MS).toPrecision(3)), status, tailCount };
}

describe("percentileOf", () => {
  it("takes the rank ⌈p/100 · n⌉", () => {
    const thousand = observed(Array.from({ length: 1000 }, (_, i) => i + 1));
    expect(at(thousand, 50)).toEqual({ ms: 500, status: "known", tailCount: 500 });
    expect(at(thousand, 90)).toEqual({ ms: 900, status: "known", tailCount: 100 });
    expect(at(thousand, 99)).toEqual({ ms: 990, status: "known", tailCount: 10 });
  });

  it("says nothing with fewer than ten samples beyond, but for the median", () => {
    const few = observed(times(999, 5));
    expect(at(few, 99)).toMatchObject({ status: "unknown", tailCount: 9 });
    expect(at(observed(times(1000, 5)), 99)).toMatchObject({ status: "known", tailCount: 10 });
    expect(at(observed(times(9999, 5)), 99.9)).toMatchObject({ status: "unknown", tailCount: 9 });
    expect(at(observed(times(10_000, 5)), 99.9)).toMatchObject({ status: "known", tailCount: 10 });
    expect(at(observed([5]), 50)).toEqual({ ms: 5, status: "known", tailCount: 0 });
    expect(percentileOf(NO_OBSERVATIONS, 50)).toEqual({ valueNs: Number.NaN, status: "unknown", tailCount: 0 });
  });

  it("counts the failed as endless", () => {
    const some = observed(times(980, 5), [], 20);
    expect(at(some, 50)).toMatchObject({ ms: 5, status: "known" });
    expect(at(some, 98)).toMatchObject({ ms: 5, status: "known", tailCount: 20 });
    expect(at(some, 99)).toMatchObject({ ms: Number.POSITIVE_INFINITY, status: "failed", tailCount: 10 });
    // That it failed is known, however few lie beyond.
    expect(at(some, 99.99)).toMatchObject({ status: "failed", tailCount: 0 });
    expect(at(observed([], [], 3), 50)).toMatchObject({ status: "failed" });
  });

  it("is a lower bound where the censored could still move it", () => {
    const some = observed(times(980, 5), times(20, 1000));
    expect(at(some, 98)).toMatchObject({ ms: 5, status: "known" });
    expect(at(some, 99)).toMatchObject({ ms: 1000, status: "lower-bound" });
  });

  it("is a lower bound where the censored lie below it: they may yet turn out slower", () => {
    // 20 of 1,000 were cut off after 1 ms. At their bounds p98 is 5 ms; at infinity too; p99 is 5 or endless.
    const some = observed(times(980, 5), times(20, 1));
    expect(at(some, 97)).toMatchObject({ ms: 5, status: "known" });
    expect(at(some, 99)).toMatchObject({ ms: 5, status: "lower-bound" });
    // With a spread, the same rank is another value once those below have moved above.
    const spread = observed(
      Array.from({ length: 980 }, (_, i) => 100 + i),
      times(20, 1),
    );
    expect(at(spread, 50)).toMatchObject({ ms: 579, status: "lower-bound" });
  });

  it("has the failed beyond the censored, wherever those come to lie", () => {
    const some = observed(times(970, 5), times(15, 1000), 15);
    expect(at(some, 97)).toMatchObject({ ms: 5, status: "known" });
    expect(at(some, 98)).toMatchObject({ ms: 1000, status: "lower-bound" });
    expect(at(some, 99)).toMatchObject({ status: "failed" });
  });

  it("is infinite, and known, where it took longer than a histogram holds", () => {
    const hours: Observations = { known: histogram(times(980, 5), 20), censored: histogram([]), failed: 0 };
    expect(at(hours, 99)).toMatchObject({ ms: Number.POSITIVE_INFINITY, status: "known" });
    const cut: Observations = { known: histogram(times(980, 5)), censored: histogram([], 20), failed: 0 };
    expect(at(cut, 99)).toMatchObject({ ms: Number.POSITIVE_INFINITY, status: "lower-bound" });
  });

  it("is known just where every fate of the censored gives the same value", () => {
    const ms = fc.integer({ min: 1, max: 20 });
    const many = fc.array(ms, { minLength: 1, maxLength: 60 });
    const p = fc.constantFrom(50, 75, 90);
    fc.assert(
      fc.property(many, fc.array(ms, { maxLength: 15 }), fc.integer({ min: 0, max: 5 }), p, (known, cut, failed, p) => {
        const n = known.length + cut.length + failed;
        const rank = Math.max(1, Math.ceil((p * n) / 100));
        const valueWith = (censored: readonly number[]) =>
          [...known, ...censored, ...times(failed, Number.POSITIVE_INFINITY)].toSorted((a, b) => a - b)[rank - 1]!;
        const [lowest, highest] = [valueWith(cut), valueWith(cut.map(() => Number.POSITIVE_INFINITY))];
        const { status, ms, tailCount } = at(observed(known, cut, failed), p);
        expect(tailCount).toBe(n - rank);
        expect(ms).toBe(lowest);
        if (lowest === Number.POSITIVE_INFINITY) expect(status).toBe("failed");
        else if (tailCount < 10 && p > 50) expect(status).toBe("unknown");
        else expect(status).toBe(lowest === highest ? "known" : "lower-bound");
      }),
      { numRuns: 500 },
    );
  });
});

/** FIGURES.md, section 1. */
describe("percentiles and the mean", () => {
  it("99 requests at 10 ms and one at 10 s: the mean describes nobody", () => {
    const all = atBounds(observed([...times(99, 10), 10_000]));
    expect(all.mean / MS).toBeCloseTo(109.9, 0);
    expect(all.valueAtPercentile(50) / MS).toBeCloseTo(10, 1);
    expect(all.max / MS / 10_000).toBeCloseTo(1, 2);
  });

  it("two servers with a p99 of 50 and 500 ms: together they have no p99 of 275", () => {
    const fast = observed([...times(980, 5), ...times(20, 50)]);
    const slow = observed([...times(980, 20), ...times(20, 500)]);
    expect([at(fast, 99).ms, at(slow, 99).ms, at(addObservations([fast, slow]), 99).ms]).toEqual([50, 500, 50]);
  });

  it("averaging the windows' p99 errs in either direction; added histograms do not", () => {
    const calm = Array.from({ length: 19 }, () => observed([...times(980, 5), ...times(20, 26)]));
    const average = (windows: readonly Observations[]) =>
      windows.reduce((sum, window) => sum + window.known.valueAtPercentile(99) / MS, 0) / windows.length;
    const fewStalled = [...calm, observed(times(50, 450))];
    expect(average(fewStalled)).toBeCloseTo(47, 0);
    expect(at(addObservations(fewStalled), 99).ms).toBe(26);
    const manyStalled = [...calm, observed(Array.from({ length: 1000 }, (_, i) => 2 + i / 2))];
    const truth = at(addObservations(manyStalled), 99).ms;
    expect(average(manyStalled)).toBeLessThan(55);
    expect(truth).toBeGreaterThan(300);
  });
});

describe("observations", () => {
  it("add up, part by part, whatever the grouping", () => {
    const part = fc
      .tuple(fc.array(fc.nat(100)), fc.array(fc.nat(100)), fc.nat(9))
      .map(([known, censored, failed]) => observed(known, censored, failed));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.nat(6), (parts, cut) => {
        const all = addObservations(parts);
        expect(countOf(all)).toBe(parts.reduce((sum, one) => sum + countOf(one), 0));
        const grouped = addObservations([addObservations(parts.slice(0, cut)), addObservations(parts.slice(cut))]);
        for (const kind of ["known", "censored"] as const) {
          expect(cellsOf(grouped[kind])).toEqual(cellsOf(all[kind]));
        }
        expect(grouped.failed).toBe(all.failed);
      }),
    );
  });

  it("at their bounds leave what they were made of alone", () => {
    const some = observed([1, 2], [3]);
    const both = atBounds(some);
    expect(both.total).toBe(3);
    expect([some.known.total, some.censored.total]).toEqual([2, 1]);
  });
});
