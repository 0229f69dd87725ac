import { type Cells, Distribution } from "./distribution.js";
import { LATENCY_LAYOUT, type Layout } from "./layout.js";

/** The header: one count, of the values too large for any cell. */
const HEADER_BYTES = Float64Array.BYTES_PER_ELEMENT;

/**
 * A histogram with one count for each cell of its layout, made for recording: under 10 ns a value, no allocation.
 *
 * It lives in a buffer that may be shared. One thread writes; others may read at any time and see each count as of some
 * recent moment, but counts of different moments: final answers need the writer's last store announced first (Atomics or a message).
 *
 * Values are not negative, nanoseconds by default; fractions are rounded down. Values at or above `layout.limit`, +∞ among
 * them, are counted in `overflow` and never clamped.
 */
export class Histogram extends Distribution {
  readonly layout: Layout;
  private readonly header: Float64Array;
  private readonly counts: Float64Array;

  /** Size of the memory a histogram of this layout takes. */
  static bytesFor(layout: Layout): number {
    return HEADER_BYTES + layout.countsLength * Float64Array.BYTES_PER_ELEMENT;
  }

  /**
   * @param buffer holds the counts, and may hold some already; by default new and empty
   * @param byteOffset where in it, a multiple of 8
   * @throws RangeError if `Histogram.bytesFor(layout)` bytes do not fit there
   */
  constructor(layout: Layout = LATENCY_LAYOUT, buffer?: ArrayBufferLike, byteOffset = 0) {
    super();
    const memory = buffer ?? new ArrayBuffer(Histogram.bytesFor(layout));
    this.layout = layout;
    this.header = new Float64Array(memory, byteOffset, 1);
    this.counts = new Float64Array(memory, byteOffset + HEADER_BYTES, layout.countsLength);
  }

  get overflow(): number {
    return this.header[0]!;
  }

  /** @throws RangeError if `value` is negative or NaN */
  record(value: number): void {
    const index = this.layout.indexOf(value);
    if (index < this.counts.length) this.counts[index]! += 1;
    else this.header[0]! += 1;
  }

  /**
   * Records `value` `times` times.
   *
   * @throws RangeError if `value` is negative or NaN, or `times` not a whole number from 0
   */
  recordN(value: number, times: number): void {
    if (!Number.isSafeInteger(times) || times < 0) {
      throw new RangeError(`a value is recorded a whole number of times, not ${times}`);
    }
    this.addAt(this.layout.indexOf(value), times);
  }

  /**
   * Records `value` and, where it is longer than the interval in which one was expected, the samples that a closed loop left
   * out while it waited: value − interval, value − 2·interval, … down to the interval (Gil Tene's correction for
   * coordinated omission). 500 ms where one was meant every 5 ms adds 99 samples: 495, 490, … 5 ms.
   *
   * The result is an estimate, and its count is not a number of requests.
   *
   * @throws RangeError if `value` is negative or not finite, or `expectedInterval` not above zero
   */
  recordCorrected(value: number, expectedInterval: number): void {
    if (!(expectedInterval > 0)) throw new RangeError(`the expected interval must be above 0, not ${expectedInterval}`);
    if (value === Number.POSITIVE_INFINITY) throw new RangeError("an infinite value cannot be corrected");
    this.record(value);
    // Cell by cell, not sample by sample: an hour at an interval of a nanosecond must not take an hour.
    let missing = value - expectedInterval;
    while (missing >= expectedInterval) {
      const index = this.layout.indexOf(missing);
      const floor = index < this.layout.countsLength ? this.layout.lowestAt(index) : this.layout.limit;
      const samples = Math.floor((missing - Math.max(floor, expectedInterval)) / expectedInterval) + 1;
      this.addAt(index, samples);
      missing -= samples * expectedInterval;
    }
  }

  /**
   * Adds what `other` counts. Equal layouts add cell by cell. Otherwise each count goes to the cell of its old cell's lower
   * edge, as in other implementations. Overflowed values stay overflowed: how large they were is not known.
   */
  add(other: Cells): void {
    this.header[0]! += other.overflow;
    if (!other.layout.equals(this.layout)) {
      for (let at = other.nextCell(0); at >= 0; at = other.nextCell(at + 1)) {
        this.addAt(this.layout.indexOf(other.layout.lowestAt(other.indexAt(at))), other.countAt(at));
      }
    } else if (other instanceof Histogram) {
      addCounts(this.counts, other.counts);
    } else {
      for (let at = other.nextCell(0); at >= 0; at = other.nextCell(at + 1)) {
        this.counts[other.indexAt(at)]! += other.countAt(at);
      }
    }
  }

  /** Forgets everything. */
  reset(): void {
    this.header[0] = 0;
    this.counts.fill(0);
  }

  override nextCell(position: number): number {
    const counts = this.counts;
    for (let index = position; index < counts.length; index++) if (counts[index] !== 0) return index;
    return -1;
  }

  override indexAt(position: number): number {
    return position;
  }

  override countAt(position: number): number {
    return this.counts[position]!;
  }

  private addAt(index: number, count: number): void {
    if (index < this.counts.length) this.counts[index]! += count;
    else this.header[0]! += count;
  }
}

function addCounts(to: Float64Array, from: Float64Array): void {
  for (let index = 0; index < to.length; index++) to[index]! += from[index]!;
}
