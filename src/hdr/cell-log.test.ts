import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CellLog } from "./cell-log.js";
import { samples } from "./hdr.testkit.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";
import { SparseHistogram } from "./sparse.js";

describe("CellLog", () => {
  it("counts what was recorded, as a histogram does, and leaves the scratch as it was", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 3 }), ({ layout, values }, tooLarge) => {
        const log = new CellLog(layout);
        const histogram = new SparseHistogram(layout);
        const scratch = new Int32Array(layout.countsLength);
        for (const value of [...values, ...new Array<number>(tooLarge).fill(layout.limit)]) {
          log.record(value);
          histogram.addIndex(layout.indexOf(value));
        }
        expect(log.cells(scratch)).toEqual(histogram.cells);
        expect(scratch.every((count) => count === 0)).toBe(true);
        expect(log.cells(scratch)).toEqual(histogram.cells);
      }),
    );
  });

  it("grows with what it takes down", () => {
    const log = new CellLog(LATENCY_LAYOUT);
    for (let i = 0; i < 10_000; i++) log.record((i % 100) * 1000);
    const { indices, counts } = log.cells(new Int32Array(LATENCY_LAYOUT.countsLength));
    expect(indices).toHaveLength(100);
    expect(new Set(counts)).toEqual(new Set([100]));
  });

  it("of nothing is empty", () => {
    expect(new CellLog(LATENCY_LAYOUT).cells(new Int32Array(LATENCY_LAYOUT.countsLength))).toEqual({
      indices: new Int32Array(0),
      counts: new Float64Array(0),
      overflow: 0,
    });
  });

  it("refuses what is no time", () => {
    const log = new CellLog(new Layout(1, 1000, 3));
    expect(() => log.record(-1)).toThrow(RangeError);
    expect(() => log.record(Number.NaN)).toThrow(RangeError);
  });
});
