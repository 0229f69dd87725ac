const TWO_POW_31 = 2 ** 31;

/** A double and its two words: exponent and leading bits of the mantissa are in the high one. */
const DOUBLE = new Float64Array([1]);
const WORDS = new Int32Array(DOUBLE.buffer);
const HIGH_WORD = WORDS[0] === 0 ? 1 : 0;

/**
 * Which values share a cell: the bucket arithmetic of HdrHistogram (Gil Tene), cell for cell.
 *
 * With `unit` = 2^⌊log2 lowest⌋ and `halfCount` = half the power of two that is at least 2·10^digits, cells are one unit
 * wide up to 2·halfCount units; then each power of two has halfCount cells of double the width:
 *
 *     index = shift·halfCount + ⌊units / 2^shift⌋,   shift = max(0, ⌊log2 units⌋ − log2 halfCount)
 *
 * so a cell is never wider than 10^−digits of the values in it, or than one unit.
 */
export class Layout {
  readonly lowestDiscernible: number;
  readonly highestTrackable: number;
  readonly significantDigits: number;
  /** Number of cells. */
  readonly countsLength: number;
  /** Number of powers of two with a cell width of their own. */
  readonly bucketCount: number;
  /** Cells in each of them, the first counting double. */
  readonly halfCount: number;
  /**
   * The first value that has no cell. As in every HdrHistogram, the power of two that holds `highestTrackable` is covered to
   * its end, so values somewhat above it are still counted in cells of full precision.
   */
  readonly limit: number;

  /** log2 of halfCount. */
  private readonly halfMagnitude: number;
  private readonly unitsPerValue: number;
  /** All bits below the second power of two: makes small values share shift 0. */
  private readonly mask: number;
  /** Width of a cell, by shift. */
  private readonly widths: Float64Array;

  /**
   * @param lowestDiscernible smallest difference that matters, an integer from 1
   * @param highestTrackable at least twice as much, at most 2^53 − 1
   * @param significantDigits 0 to 5
   * @throws RangeError for anything else
   */
  constructor(lowestDiscernible: number, highestTrackable: number, significantDigits: number) {
    if (!Number.isSafeInteger(lowestDiscernible) || lowestDiscernible < 1) {
      throw new RangeError(`lowest discernible value must be an integer of at least 1, not ${lowestDiscernible}`);
    }
    if (!Number.isSafeInteger(highestTrackable) || highestTrackable < 2 * lowestDiscernible) {
      throw new RangeError(
        `highest trackable value must be an integer from ${2 * lowestDiscernible} to 2^53 - 1, not ${highestTrackable}`,
      );
    }
    if (!Number.isInteger(significantDigits) || significantDigits < 0 || significantDigits > 5) {
      throw new RangeError(`significant digits must be an integer from 0 to 5, not ${significantDigits}`);
    }
    this.lowestDiscernible = lowestDiscernible;
    this.highestTrackable = highestTrackable;
    this.significantDigits = significantDigits;
    let unit = 1;
    while (unit * 2 <= lowestDiscernible) unit *= 2;
    this.halfMagnitude = Math.ceil(Math.log2(2 * 10 ** significantDigits)) - 1;
    this.halfCount = 1 << this.halfMagnitude;
    this.mask = 2 * this.halfCount - 1;
    this.unitsPerValue = 1 / unit;

    const widths = [unit];
    let limit = 2 * this.halfCount * unit;
    for (; limit <= highestTrackable; limit *= 2) widths.push(unit * 2 ** widths.length);
    this.widths = Float64Array.from(widths);
    this.limit = limit;
    this.bucketCount = widths.length;
    this.countsLength = (widths.length + 1) * this.halfCount;
  }

  /**
   * @param value not negative; fractions are rounded down to a whole unit
   * @returns the cell that counts `value`, or some number of at least `countsLength` if it is too large for any
   * @throws RangeError if `value` is negative or NaN
   */
  indexOf(value: number): number {
    const units = value * this.unitsPerValue;
    if (units >= 0 && units < TWO_POW_31) {
      const whole = units | 0;
      const shift = 31 - this.halfMagnitude - Math.clz32(whole | this.mask);
      return (shift << this.halfMagnitude) + (whole >>> shift);
    }
    return this.indexOfLarge(value, units);
  }

  /** The same beyond what fits 31 bits: 2^e·1.m is in the cell that e and the first bits of m name. */
  private indexOfLarge(value: number, units: number): number {
    if (!(value >= 0)) throw new RangeError(`a histogram counts values from 0 up, not ${value}`);
    if (value >= this.limit) return this.countsLength;
    DOUBLE[0] = units;
    const word = WORDS[HIGH_WORD]!;
    const shift = (word >>> 20) - 1023 - this.halfMagnitude;
    const leading = (word >>> (20 - this.halfMagnitude)) & (this.halfCount - 1);
    return ((shift + 1) << this.halfMagnitude) + leading;
  }

  /** Smallest value counted in cell `index` (0 to `countsLength` − 1). */
  lowestAt(index: number): number {
    const shift = this.shiftAt(index);
    return (index - (shift << this.halfMagnitude)) * this.widths[shift]!;
  }

  /** Largest integer counted in cell `index`. */
  highestAt(index: number): number {
    return this.lowestAt(index) + this.widths[this.shiftAt(index)]! - 1;
  }

  /** The middle of cell `index`, rounded up to an integer: what mean and deviation take its values for. */
  medianAt(index: number): number {
    return this.lowestAt(index) + Math.floor(this.widths[this.shiftAt(index)]! / 2);
  }

  private shiftAt(index: number): number {
    return Math.max(0, (index >>> this.halfMagnitude) - 1);
  }

  /** Whether both have the very same cells, so that counts can be added without looking at values. */
  equals(other: Layout): boolean {
    return (
      this === other ||
      (this.unitsPerValue === other.unitsPerValue &&
        this.halfCount === other.halfCount &&
        this.countsLength === other.countsLength)
    );
  }
}

/** One nanosecond to one hour at three significant digits: 33,792 cells. */
export const LATENCY_LAYOUT = new Layout(1, 3.6e12, 3);
