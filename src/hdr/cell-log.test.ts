import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CellLog } from "./cell-log.js";
import { cellsOf, samples } from "./hdr.testkit.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";
import { SparseHistogram } from "./sparse.js";

describe("CellLog", () => {
  it("counts what was recorded, as a histogram does, and leaves the scratch as it was", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 3 }), ({ layout, values }, tooLarge) => {
        const log = new CellLog(layout);
        const histogram = new SparseHistogram(layout);
        const scratch = new Int32Array(layout.countsLength);
        for (const value of [...values, ...Array.from({ length: tooLarge }, () => layout.limit)]) {
          log.record(value);
          histogram.addIndex(layout.indexOf(value));
        }
        const counted = new SparseHistogram(layout, log.cells(scratch));
        expect(cellsOf(counted)).toEqual(cellsOf(histogram));
        expect(counted.overflow).toBe(tooLarge);
        expect(scratch.every((count) => count === 0)).toBe(true);
        expect(log.cells(scratch)).toEqual(counted.cells);
      }),
    );
  });

  it("grows with what it takes down", () => {
    const log = new CellLog(LATENCY_LAYOUT);
    for (let i = 0; i < 10_000; i++) log.record((i % 100) * 1000);
    const { indices, counts } = log.cells(new Int32Array(LATENCY_LAYOUT.countsLength));
    expect(indices).toHaveLength(100);
    expect([...counts]).toEqual(Array.from({ length: 100 }, () => 100));
  });

  it("of nothing is empty", () => {
    const cells = new CellLog(LATENCY_LAYOUT).cells(new Int32Array(LATENCY_LAYOUT.countsLength));
    expect([cells.indices.length, cells.counts.length, cells.overflow]).toEqual([0, 0, 0]);
  });

  it("refuses what is no time", () => {
    const log = new CellLog(new Layout(1, 1000, 3));
    expect(() => log.record(-1)).toThrow(RangeError);
    expect(() => log.record(Number.NaN)).toThrow(RangeError);
  });
});
