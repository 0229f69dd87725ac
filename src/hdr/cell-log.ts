import type { Layout } from "./layout.js";
import { narrowCells, type SparseCells } from "./sparse-cells.js";

/**
 * Takes down the cell of each value and counts them later. Recording is one store, which is what a window that is still
 * filling needs; memory is 4 bytes a value until it is counted.
 */
export class CellLog {
  private readonly layout: Layout;
  private indices = new Int32Array(64);
  private length = 0;
  private overflow = 0;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /** @throws RangeError if `value` is negative or NaN */
  record(value: number): void {
    const index = this.layout.indexOf(value);
    if (index >= this.layout.countsLength) {
      this.overflow++;
      return;
    }
    if (this.length === this.indices.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.indices);
      this.indices = wider;
    }
    this.indices[this.length++] = index;
  }

  /**
   * Counts what was recorded: n + (highest − lowest cell) steps.
   *
   * @param scratch `layout.countsLength` zeros, and zeros again afterwards
   */
  cells(scratch: Int32Array): SparseCells {
    let lowest = scratch.length;
    let highest = -1;
    let distinct = 0;
    for (let i = 0; i < this.length; i++) {
      const index = this.indices[i]!;
      if (scratch[index]!++ === 0) distinct++;
      if (index < lowest) lowest = index;
      if (index > highest) highest = index;
    }
    const indices = new Int32Array(distinct);
    const counts = new Int32Array(distinct);
    for (let index = lowest, at = 0; index <= highest; index++) {
      const count = scratch[index]!;
      if (count === 0) continue;
      indices[at] = index;
      counts[at++] = count;
      scratch[index] = 0;
    }
    return narrowCells(indices, counts, this.overflow);
  }
}
