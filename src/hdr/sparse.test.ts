import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf, samples } from "./hdr.testkit.js";
import { Histogram } from "./histogram.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";
import { SparseHistogram } from "./sparse.js";

function dense(values: readonly number[], layout = LATENCY_LAYOUT): Histogram {
  const histogram = new Histogram(layout);
  for (const value of values) histogram.record(value);
  return histogram;
}

const sparse = (values: readonly number[], layout = LATENCY_LAYOUT) => SparseHistogram.from(dense(values, layout));

describe("SparseHistogram", () => {
  it("answers as the dense form does", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const [full, thin] = [dense(values, layout), sparse(values, layout)];
        expect(cellsOf(thin)).toEqual(cellsOf(full));
        expect([thin.total, thin.min, thin.max, thin.mean, thin.stdev]).toEqual([
          full.total,
          full.min,
          full.max,
          full.mean,
          full.stdev,
        ]);
        expect(thin.valuesAtPercentiles([0, 50, 99, 100])).toEqual(full.valuesAtPercentiles([0, 50, 99, 100]));
      }),
    );
  });

  it("adds to sparse and dense alike", () => {
    fc.assert(
      fc.property(samples, samples, ({ layout, values }, other) => {
        const more = other.values.map((value) => Math.min(value, layout.highestTrackable));
        const whole = cellsOf(dense([...values, ...more], layout));
        for (const part of [dense(more, layout), sparse(more, layout)]) {
          const [thin, full] = [sparse(values, layout), dense(values, layout)];
          thin.add(part);
          full.add(part);
          expect(cellsOf(thin)).toEqual(whole);
          expect(cellsOf(full)).toEqual(whole);
        }
      }),
    );
  });

  it("rescales other layouts as the dense form does, overflows included", () => {
    fc.assert(
      fc.property(samples, samples, ({ layout, values }, other) => {
        const [thin, full] = [sparse(values, layout), dense(values, layout)];
        for (const sum of [thin, full]) sum.add(dense([...other.values, 1e15], other.layout));
        expect(cellsOf(thin)).toEqual(cellsOf(full));
        expect(thin.overflow).toBe(full.overflow);
        expect(thin.total).toBe(values.length + other.values.length + 1);
      }),
    );
  });

  it("takes stragglers by cell, however many and in whatever order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 700 }), (late) => {
        const early = [5, 17, 2000, 2001];
        const histogram = sparse(early);
        for (const value of late) histogram.addIndex(LATENCY_LAYOUT.indexOf(value));
        expect(cellsOf(histogram)).toEqual(cellsOf(dense([...early, ...late])));
      }),
    );
  });

  it("counts stragglers that overflow, and refuses cells that are none", () => {
    const histogram = new SparseHistogram();
    histogram.addIndex(LATENCY_LAYOUT.indexOf(1e15));
    histogram.addOverflow(2);
    expect([histogram.overflow, histogram.total, histogram.min]).toEqual([3, 3, Number.POSITIVE_INFINITY]);
    for (const index of [-1, 0.5, Number.NaN]) expect(() => histogram.addIndex(index)).toThrow(RangeError);
    for (const count of [-1, 0.5, Number.NaN]) expect(() => histogram.addOverflow(count)).toThrow(RangeError);
  });

  it("adds a straggler that came after the other was last read", () => {
    const [sum, part] = [sparse([1]), sparse([2])];
    part.addIndex(3);
    sum.addIndex(0);
    sum.add(part);
    expect(cellsOf(sum)).toEqual([0, 1, 2, 3].map((index) => [index, 1]));
  });

  it("crosses threads as plain data", () => {
    const layout = new Layout(1000, 1e9, 2);
    const histogram = sparse([1000, 2000, 2000, 1e12], layout);
    histogram.addIndex(7);
    const arrived = new SparseHistogram(layout, structuredClone(histogram.cells));
    expect(cellsOf(arrived)).toEqual(cellsOf(histogram));
    expect(arrived.overflow).toBe(1);
  });

  it("leaves what it was made from alone", () => {
    const part = sparse([1, 2]);
    const sum = new SparseHistogram();
    sum.add(part);
    sum.add(part);
    sum.addIndex(1);
    expect([sum.total, part.total]).toEqual([5, 2]);
    expect(cellsOf(part)).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
