import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf, oracleCells, oracleOf, samples } from "./hdr.testkit.js";
import { Histogram } from "./histogram.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";

const SMALL = new Layout(1, 1000, 2);

function recorded(values: readonly number[], layout = LATENCY_LAYOUT): Histogram {
  const histogram = new Histogram(layout);
  for (const value of values) histogram.record(value);
  return histogram;
}

describe("Histogram", () => {
  it("counts cell for cell like the oracle", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const oracle = oracleOf(layout);
        for (const value of values) oracle.recordValue(value);
        expect(cellsOf(recorded(values, layout))).toEqual(oracleCells(oracle));
      }),
    );
  });

  it("records a value many times as that many single ones", () => {
    const histogram = new Histogram();
    histogram.recordN(5_000_000, 3);
    histogram.recordN(7, 0);
    histogram.recordN(1e13, 2);
    expect(cellsOf(histogram)).toEqual([[LATENCY_LAYOUT.indexOf(5_000_000), 3]]);
    expect(histogram.overflow).toBe(2);
    for (const times of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => histogram.recordN(1, times)).toThrow(RangeError);
    }
  });

  it("counts overflows, and never into a cell", () => {
    const histogram = recorded([0, SMALL.limit - 1, SMALL.limit, 1e15, Number.POSITIVE_INFINITY], SMALL);
    expect(histogram.overflow).toBe(3);
    expect(cellsOf(histogram)).toEqual([
      [0, 1],
      [SMALL.countsLength - 1, 1],
    ]);
    expect(histogram.total).toBe(5);
  });

  it("refuses NaN and negative values, and counts nothing then", () => {
    const histogram = new Histogram();
    for (const value of [Number.NaN, -1, -0.001, Number.NEGATIVE_INFINITY]) {
      expect(() => histogram.record(value)).toThrow(RangeError);
      expect(() => histogram.recordN(value, 2)).toThrow(RangeError);
      expect(() => histogram.recordCorrected(value, 1)).toThrow(RangeError);
    }
    expect(histogram.total).toBe(0);
  });

  it("lives in a given buffer, shared and at an offset, and leaves the rest of it alone", () => {
    const bytes = Histogram.bytesFor(SMALL);
    const memory = new SharedArrayBuffer(8 + 2 * bytes + 8);
    const [writer, neighbour, reader] = [
      new Histogram(SMALL, memory, 8),
      new Histogram(SMALL, memory, 8 + bytes),
      new Histogram(SMALL, memory, 8),
    ];
    for (const value of [0, 40, SMALL.limit - 1, SMALL.limit]) writer.record(value);
    expect(cellsOf(reader)).toEqual(cellsOf(writer));
    expect([reader.overflow, reader.total, neighbour.total]).toEqual([1, 4, 0]);
    const outside = new Float64Array(memory);
    expect([outside[0], outside[outside.length - 1]]).toEqual([0, 0]);
    expect(() => new Histogram(SMALL, new ArrayBuffer(bytes - 8))).toThrow(RangeError);
    writer.reset();
    expect([reader.overflow, reader.total]).toEqual([0, 0]);
  });
});

describe("recordCorrected", () => {
  it("back-fills 99 samples for 500 ms where one was meant every 5 ms", () => {
    const corrected = new Histogram();
    corrected.recordCorrected(500e6, 5e6);
    const byHand = recorded(Array.from({ length: 100 }, (_, i) => (i + 1) * 5e6));
    expect(cellsOf(corrected)).toEqual(cellsOf(byHand));
    expect(corrected.total - 1).toBe(99);
  });

  it("counts cell for cell like the oracle", () => {
    const interval = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(interval, fc.array(fc.integer({ min: 0, max: 2_000_000 }), { maxLength: 5 }), (every, values) => {
        const layout = new Layout(1, 2_000_000, 3);
        const [ours, oracle] = [new Histogram(layout), oracleOf(layout)];
        for (const value of values) {
          ours.recordCorrected(value, every);
          oracle.recordValueWithExpectedInterval(value, every);
        }
        expect(cellsOf(ours)).toEqual(oracleCells(oracle));
      }),
      { numRuns: 30 },
    );
  });

  it("takes no time for an hour at an interval of a nanosecond, also beyond the last cell", () => {
    const histogram = new Histogram(SMALL);
    histogram.recordCorrected(3.6e12, 1);
    expect(histogram.total).toBe(3.6e12);
    expect(histogram.overflow).toBe(3.6e12 - (SMALL.limit - 1));
    expect(histogram.countAbove(0)).toBe(3.6e12);
  });

  it("refuses an interval that is none, and a value without end", () => {
    for (const interval of [0, -5, Number.NaN]) {
      expect(() => new Histogram().recordCorrected(10, interval)).toThrow(RangeError);
    }
    expect(() => new Histogram().recordCorrected(Number.POSITIVE_INFINITY, 1)).toThrow(RangeError);
  });
});

describe("add", () => {
  it("gives what recording everything into one would", () => {
    fc.assert(
      fc.property(samples, samples, ({ layout, values }, other) => {
        const more = other.values.map((value) => Math.min(value, layout.highestTrackable));
        const sum = recorded(values, layout);
        sum.add(recorded(more, layout));
        expect(cellsOf(sum)).toEqual(cellsOf(recorded([...values, ...more], layout)));
      }),
    );
  });

  it("rescales other layouts as the oracle does", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const target = new Layout(1, 2 ** 46, 3);
        const [sum, oracleSum, oraclePart] = [new Histogram(target), oracleOf(target), oracleOf(layout)];
        for (const value of values) oraclePart.recordValue(value);
        oracleSum.add(oraclePart);
        sum.add(recorded(values, layout));
        expect(cellsOf(sum)).toEqual(oracleCells(oracleSum));
      }),
    );
  });

  it("carries overflows, and lets what fits no cell of the smaller layout overflow", () => {
    const sum = new Histogram(SMALL);
    sum.add(recorded([5, 900, 1_000_000, 1e13]));
    expect([sum.total, sum.overflow, sum.countAtOrBelow(900)]).toEqual([4, 2, 2]);
    const wide = new Histogram();
    wide.add(sum);
    expect([wide.total, wide.overflow]).toEqual([4, 2]);
  });
});
