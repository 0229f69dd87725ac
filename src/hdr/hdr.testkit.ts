import fc from "fast-check";
import * as hdr from "hdr-histogram-js";
import { type Cells, Layout } from "./index.js";

/** What the oracle offers beyond its published interface. */
export type Oracle = hdr.Histogram & {
  getCountAtIndex(index: number): number;
  readonly countsArrayLength: number;
  readonly bucketCount: number;
};

/** An empty histogram of hdr-histogram-js. Its logarithms are only exact for values well below 2^48. */
export function oracleOf(layout: Layout): Oracle {
  return hdr.build({
    bitBucketSize: 64,
    lowestDiscernibleValue: layout.lowestDiscernible,
    highestTrackableValue: layout.highestTrackable,
    numberOfSignificantValueDigits: layout.significantDigits as 1 | 2 | 3 | 4 | 5,
  }) as Oracle;
}

export function oracleCells(oracle: Oracle): [number, number][] {
  const cells: [number, number][] = [];
  for (let index = 0; index < oracle.countsArrayLength; index++) {
    const count = oracle.getCountAtIndex(index);
    if (count > 0) cells.push([index, count]);
  }
  return cells;
}

export function cellsOf(cells: Cells): [number, number][] {
  const found: [number, number][] = [];
  for (let at = cells.nextCell(0); at >= 0; at = cells.nextCell(at + 1))
    found.push([cells.indexAt(at), cells.countAt(at)]);
  return found;
}

/** Layouts of every precision, also with units above 1, whose largest values the oracle can still handle. */
export const layouts: fc.Arbitrary<Layout> = fc
  .record({
    lowest: fc.integer({ min: 1, max: 100_000 }),
    spread: fc.integer({ min: 2, max: 2 ** 24 }),
    digits: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ lowest, spread, digits }) => new Layout(lowest, lowest * spread, digits));

/** Values a layout has cells for, spread over all its powers of two. */
export function valuesFor(layout: Layout): fc.Arbitrary<number> {
  return fc
    .tuple(
      fc.integer({ min: 0, max: Math.floor(Math.log2(layout.highestTrackable)) }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([power, fraction]) => Math.min(layout.highestTrackable, Math.floor(2 ** power * (1 + fraction))));
}

/** A layout together with values for it. */
export const samples: fc.Arbitrary<{ layout: Layout; values: number[] }> = layouts.chain((layout) =>
  fc.record({ layout: fc.constant(layout), values: fc.array(valuesFor(layout), { minLength: 1, maxLength: 200 }) }),
);
