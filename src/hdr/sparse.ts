import { type Cells, Distribution } from "./distribution.js";
import { LATENCY_LAYOUT, type Layout } from "./layout.js";
import { narrowCells, type SparseCells } from "./sparse-cells.js";

/** Stragglers waiting to be sorted in: few enough to keep a window small, many enough to make sorting cheap. */
const PENDING_LIMIT = 256;

const NO_CELLS: SparseCells = { indices: new Int32Array(0), counts: new Float64Array(0), overflow: 0 };

/**
 * A histogram that keeps its non-empty cells only, as sorted (index, count) pairs: 3 to 12 bytes each where the dense form takes 270 kB.
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
    const work = new Work();
    for (const index of Int32Array.from(this.pending).sort()) work.add(index, 1);
    this.pending.length = 0;
    this.kept = merge(this.kept, work.cells(0));
  }
}

/** The cells of any histogram, in another layout if need be. */
function collect(from: Cells, layout: Layout): SparseCells {
  const work = new Work();
  const same = from.layout.equals(layout);
  let { overflow } = from;
  for (let at = from.nextCell(0); at >= 0; at = from.nextCell(at + 1)) {
    // By its lower edge; edges ascend, so the new indices do, with repeats.
    const index = same ? from.indexAt(at) : layout.indexOf(from.layout.lowestAt(from.indexAt(at)));
    if (index < layout.countsLength) work.add(index, from.countAt(at));
    else overflow += from.countAt(at);
  }
  return work.cells(overflow);
}

function merge(a: SparseCells, b: SparseCells): SparseCells {
  const overflow = a.overflow + b.overflow;
  if (a.indices.length === 0) return { ...b, overflow };
  if (b.indices.length === 0) return { ...a, overflow };
  const work = new Work();
  let i = 0;
  let j = 0;
  while (i < a.indices.length || j < b.indices.length) {
    const indexA = a.indices[i] ?? Number.POSITIVE_INFINITY;
    const indexB = b.indices[j] ?? Number.POSITIVE_INFINITY;
    if (indexA <= indexB) work.add(indexA, a.counts[i++]!);
    else work.add(indexB, b.counts[j++]!);
  }
  return work.cells(overflow);
}

let workIndices = new Int32Array(4096);
let workCounts = new Float64Array(4096);

/**
 * Cells being put together, in order of index. All share one piece of memory, for what a merge throws away would else be many
 * times what it keeps; so one is finished before the next is begun.
 */
class Work {
  private length = 0;

  add(index: number, count: number): void {
    const last = this.length - 1;
    if (last >= 0 && workIndices[last] === index) {
      workCounts[last]! += count;
      return;
    }
    if (this.length === workIndices.length) {
      const [indices, counts] = [workIndices, workCounts];
      workIndices = new Int32Array(this.length * 2);
      workCounts = new Float64Array(this.length * 2);
      workIndices.set(indices);
      workCounts.set(counts);
    }
    workIndices[this.length] = index;
    workCounts[this.length++] = count;
  }

  cells(overflow: number): SparseCells {
    return narrowCells(workIndices.subarray(0, this.length), workCounts.subarray(0, this.length), overflow);
  }
}
