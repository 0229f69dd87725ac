import type { Layout } from "./layout.js";

/**
 * Counted values by cell, readable without knowing how they are kept. Non-empty cells have ascending positions:
 *
 *     for (let at = cells.nextCell(0); at >= 0; at = cells.nextCell(at + 1)) cells.indexAt(at), cells.countAt(at);
 */
export interface Cells {
  readonly layout: Layout;
  /** How many values were too large for any cell. */
  readonly overflow: number;
  /** Position of the first non-empty cell at or after `position`; −1 if there is none. */
  nextCell(position: number): number;
  /** Index in the layout of the cell at a position that `nextCell` gave. */
  indexAt(position: number): number;
  /** Its count, above zero. */
  countAt(position: number): number;
}

/**
 * What can be asked of counted values, however they are kept.
 *
 * Every answer is derived from the cells at the time of asking, so a histogram in shared memory needs no second counter that
 * could disagree. An overflowed value is taken for +∞ throughout: it counts in `total`, lies above every percentile that
 * the cells can answer, and makes `max` and `mean` infinite rather than quietly too small. Without values the answers are NaN.
 */
export abstract class Distribution implements Cells {
  abstract readonly layout: Layout;
  abstract readonly overflow: number;
  abstract nextCell(position: number): number;
  abstract indexAt(position: number): number;
  abstract countAt(position: number): number;

  /** Calls `visit` for each non-empty cell, from the lowest value up. Overflowed values have no cell. */
  forEachCell(visit: (index: number, count: number) => void): void {
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) visit(this.indexAt(at), this.countAt(at));
  }

  /** How many values were recorded, overflowed ones included. */
  get total(): number {
    let total = this.overflow;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) total += this.countAt(at);
    return total;
  }

  /** Lower edge of the lowest non-empty cell. */
  get min(): number {
    const first = this.nextCell(0);
    if (first >= 0) return this.layout.lowestAt(this.indexAt(first));
    return this.overflow > 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  }

  /** Upper edge of the highest non-empty cell; infinite if values overflowed. */
  get max(): number {
    if (this.overflow > 0) return Number.POSITIVE_INFINITY;
    let last = -1;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) last = at;
    return last < 0 ? Number.NaN : this.layout.highestAt(this.indexAt(last));
  }

  /** Arithmetic mean, each value taken for the middle of its cell; infinite if values overflowed. */
  get mean(): number {
    if (this.overflow > 0) return Number.POSITIVE_INFINITY;
    let total = 0;
    let sum = 0;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) {
      total += this.countAt(at);
      sum += this.countAt(at) * this.layout.medianAt(this.indexAt(at));
    }
    return sum / total;
  }

  /** Standard deviation √(Σ(x − mean)² / n), each value taken for the middle of its cell; infinite if values overflowed. */
  get stdev(): number {
    if (this.overflow > 0) return Number.POSITIVE_INFINITY;
    const mean = this.mean;
    let total = 0;
    let squares = 0;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) {
      const deviation = this.layout.medianAt(this.indexAt(at)) - mean;
      total += this.countAt(at);
      squares += deviation * deviation * this.countAt(at);
    }
    return Math.sqrt(squares / total);
  }

  /**
   * The value that `p` percent of all values do not exceed: upper edge of the cell that holds the ⌈p/100·n⌉-th smallest.
   * `p` = 0 gives `min`. Infinite where only overflowed values are left.
   *
   * @throws RangeError unless `p` is from 0 to 100
   */
  valueAtPercentile(p: number): number {
    return this.valuesAtPercentiles([p])[0]!;
  }

  /** {@link valueAtPercentile} for many at once, in the order given, in one pass over the cells. */
  valuesAtPercentiles(percentiles: readonly number[]): number[] {
    const total = this.total;
    const ranks = percentiles.map((p) => rankOfPercentile(p, total));
    if (total === 0) return percentiles.map(() => Number.NaN);
    const ascending = ranks.map((_, i) => i).sort((a, b) => ranks[a]! - ranks[b]!);
    const values = percentiles.map(() => Number.POSITIVE_INFINITY);
    let reached = 0;
    let next = 0;
    for (let at = this.nextCell(0); at >= 0 && next < ascending.length; at = this.nextCell(at + 1)) {
      reached += this.countAt(at);
      for (; next < ascending.length && ranks[ascending[next]!]! <= reached; next++) {
        values[ascending[next]!] = this.layout.highestAt(this.indexAt(at));
      }
    }
    return values.map((value, i) => (percentiles[i] === 0 ? this.min : value));
  }

  /**
   * The `rank`-th smallest value (1 to `total`): upper edge of its cell, or infinite if it overflowed.
   *
   * @throws RangeError for any other rank
   */
  valueAtRank(rank: number): number {
    if (!(rank >= 1)) throw new RangeError(`ranks start at 1, not ${rank}`);
    let reached = 0;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) {
      reached += this.countAt(at);
      if (reached >= rank) return this.layout.highestAt(this.indexAt(at));
    }
    if (rank > reached + this.overflow) throw new RangeError(`there is no ${rank}-th value among ${this.total}`);
    return Number.POSITIVE_INFINITY;
  }

  /**
   * How many values lie above `value`, to the precision of its cell: those in the same cell do not count. Overflowed values lie
   * above every finite one.
   *
   * @throws RangeError if `value` is negative or NaN
   */
  countAbove(value: number): number {
    const own = this.layout.indexOf(value);
    let above = value === Number.POSITIVE_INFINITY ? 0 : this.overflow;
    for (let at = this.nextCell(0); at >= 0; at = this.nextCell(at + 1)) {
      if (this.indexAt(at) > own) above += this.countAt(at);
    }
    return above;
  }

  /** The others: `total − countAbove(value)`. */
  countAtOrBelow(value: number): number {
    return this.total - this.countAbove(value);
  }

  /** How many values lie beyond percentile `p` by rank: n − ⌈p/100·n⌉. Ten of 1,000 lie beyond p99. */
  tailCount(p: number): number {
    const total = this.total;
    return total === 0 ? 0 : total - rankOfPercentile(p, total);
  }
}

/**
 * ⌈p/100·n⌉, at least 1, as meant on paper: 99.9 % of 1,000 is 999, though in floating point 99.9·1000/100 may come out a hair
 * above. Three roundings are off by less than 4 ulp; a product that close to an integer is that integer.
 *
 * @throws RangeError unless `p` is from 0 to 100
 */
export function rankOfPercentile(p: number, n: number): number {
  if (!(p >= 0 && p <= 100)) throw new RangeError(`a percentile is a number from 0 to 100, not ${p}`);
  const exact = (p * n) / 100;
  const nearest = Math.round(exact);
  const rank = Math.abs(exact - nearest) <= exact * 4 * Number.EPSILON ? nearest : Math.ceil(exact);
  return Math.max(1, rank);
}
