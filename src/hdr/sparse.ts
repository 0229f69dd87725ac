import type { SparseCells } from "./cell-log.js";
import { type Cells, Distribution } from "./distribution.js";
import { LATENCY_LAYOUT, type Layout } from "./layout.js";

/** Stragglers waiting to be sorted in: few enough to keep a window small, many enough to make sorting cheap. */
const PENDING_LIMIT = 256;

const NO_CELLS: SparseCells = { indices: new Int32Array(0), counts: new Float64Array(0), overflow: 0 };

/**
 * A histogram that keeps its non-empty cells only, as sorted (index, count) pairs: 12 bytes each where the dense form takes 270 kB.
 * For windows that are closed but for a few stragglers, and for whatever is decoded, merged and read.
 */
export class SparseHistogram extends Distribution {
  readonly layout: Layout;
  private kept: SparseCells;
  /** Indices added one by one and not yet among the kept, in any order. */
  private readonly pending: number[] = [];

  /** @param cells what it counts from the start; taken over, not copied */
  constructor(layout: Layout = LATENCY_LAYOUT, cells: SparseCells = NO_CELLS) {
    super();
    this.layout = layout;
    this.kept = cells;
  }

  /** A copy of any histogram. */
  static from(cells: Cells): SparseHistogram {
    return new SparseHistogram(cells.layout, collect(cells, cells.layout));
  }

  get overflow(): number {
    return this.kept.overflow;
  }

  /** What it counts, as plain data. Not to be written to. */
  get cells(): SparseCells {
    this.settle();
    return this.kept;
  }

  /**
   * Counts a value by the cell its layout gave it (`layout.indexOf(value)`), an overflow if that is `countsLength` or more.
   *
   * @throws RangeError if `index` is not a whole number from 0
   */
  addIndex(index: number): void {
    if (!Number.isInteger(index) || index < 0) throw new RangeError(`a cell has a whole index from 0, not ${index}`);
    if (index >= this.layout.countsLength) {
      this.addOverflow(1);
      return;
    }
    this.pending.push(index);
    if (this.pending.length >= PENDING_LIMIT) this.settle();
  }

  /**
   * Counts values known only to have been too large for any cell, such as those an encoding could not carry.
   *
   * @throws RangeError if `count` is not a whole number from 0
   */
  addOverflow(count: number): void {
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`an overflow is a whole count, not ${count}`);
    this.kept = { ...this.kept, overflow: this.kept.overflow + count };
  }

  /** Adds what `other` counts; other layouts are rescaled as by `Histogram.add`. */
  add(other: Cells): void {
    const sameKind = other instanceof SparseHistogram && other.layout.equals(this.layout);
    this.kept = merge(this.cells, sameKind ? other.cells : collect(other, this.layout));
  }

  override nextCell(position: number): number {
    if (this.pending.length > 0) this.settle();
    return position < this.kept.indices.length ? position : -1;
  }

  override indexAt(position: number): number {
    return this.kept.indices[position]!;
  }

  override countAt(position: number): number {
    return this.kept.counts[position]!;
  }

  private settle(): void {
    if (this.pending.length === 0) return;
    const indices = Int32Array.from(this.pending).sort();
    this.pending.length = 0;
    this.kept = merge(
      this.kept,
      addRepeats({ indices, counts: new Float64Array(indices.length).fill(1), overflow: 0 }),
    );
  }
}

/** The cells of any histogram, in another layout if need be. */
function collect(from: Cells, layout: Layout): SparseCells {
  let length = 0;
  for (let at = from.nextCell(0); at >= 0; at = from.nextCell(at + 1)) length++;
  const indices = new Int32Array(length);
  const counts = new Float64Array(length);
  for (let at = from.nextCell(0), i = 0; at >= 0; at = from.nextCell(at + 1), i++) {
    indices[i] = from.indexAt(at);
    counts[i] = from.countAt(at);
  }
  const cells = { indices, counts, overflow: from.overflow };
  return from.layout.equals(layout) ? cells : rescale(cells, from.layout, layout);
}

/** Each count goes to the cell of its old cell's lower edge; edges ascend, so the new indices do, with repeats. */
function rescale(cells: SparseCells, from: Layout, to: Layout): SparseCells {
  const indices = cells.indices.map((index) => to.indexOf(from.lowestAt(index)));
  const fitting = indices.findIndex((index) => index >= to.countsLength);
  const end = fitting < 0 ? indices.length : fitting;
  const overflow = cells.counts.subarray(end).reduce((sum, count) => sum + count, cells.overflow);
  return addRepeats({ indices: indices.subarray(0, end), counts: cells.counts.subarray(0, end), overflow });
}

/** Adds up the counts of equal indices, which stand side by side. */
function addRepeats({ indices, counts, overflow }: SparseCells): SparseCells {
  let length = 0;
  for (let i = 0; i < indices.length; i++) {
    if (length > 0 && indices[length - 1] === indices[i]) {
      counts[length - 1]! += counts[i]!;
    } else {
      indices[length] = indices[i]!;
      counts[length++] = counts[i]!;
    }
  }
  return { indices: indices.slice(0, length), counts: counts.slice(0, length), overflow };
}

function merge(a: SparseCells, b: SparseCells): SparseCells {
  const overflow = a.overflow + b.overflow;
  const lengthA = a.indices.length;
  const lengthB = b.indices.length;
  const indices = new Int32Array(lengthA + lengthB);
  const counts = new Float64Array(lengthA + lengthB);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < lengthA && j < lengthB) {
    const indexA = a.indices[i]!;
    const indexB = b.indices[j]!;
    indices[length] = Math.min(indexA, indexB);
    counts[length++] = (indexA <= indexB ? a.counts[i]! : 0) + (indexB <= indexA ? b.counts[j]! : 0);
    if (indexA <= indexB) i++;
    if (indexB <= indexA) j++;
  }
  for (const [rest, from] of [
    [a, i],
    [b, j],
  ] as const) {
    indices.set(rest.indices.subarray(from), length);
    counts.set(rest.counts.subarray(from), length);
    length += rest.indices.length - from;
  }
  // Copied where room was left, so that what is kept costs its 12 bytes a cell and no more.
  return { indices: indices.slice(0, length), counts: counts.slice(0, length), overflow };
}
