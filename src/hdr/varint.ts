import { HdrFormatError } from "./format-error.js";

// ZigZag LEB128-64b9B of HdrHistogram V2: 2·n for n ≥ 0, −2·n − 1 below, in groups of 7 bits from the lowest, each but the last
// with its top bit set. A ninth byte would hold 8 bits; numbers up to ±2^53 need no more than eight bytes.

const MOST_BYTES = 8;

/** Writes numbers one after the other, into memory that is used again: encoding a run's windows must not leave garbage each. */
export class VarintWriter {
  private bytes = new Uint8Array(4096);
  private length = 0;

  /** Forgets what was written. */
  clear(): void {
    this.length = 0;
  }

  /** Appends a whole number of −2^53 … 2^53. */
  write(value: number): void {
    if (this.length + MOST_BYTES > this.bytes.length) {
      const wider = new Uint8Array(this.bytes.length * 2);
      wider.set(this.bytes);
      this.bytes = wider;
    }
    let rest = value >= 0 ? value * 2 : -value * 2 - 1;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.length++] = (rest % 128) | 128;
    this.bytes[this.length++] = rest;
  }

  /** What was written since `clear`; valid until the next `write` or `clear`. */
  get written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** Reads numbers one after the other. */
export class VarintReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  /** @throws HdrFormatError if the number is cut off, or beyond ±2^53 */
  next(): number {
    let value = 0;
    let weight = 1;
    const negative = (this.bytes[this.at] ?? 0) % 2 === 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new HdrFormatError("the payload ends within a count");
      value += (byte % 128) * weight;
      if (byte < 128) break;
      weight *= 128;
      if (weight >= 2 ** 56) throw new HdrFormatError("a count of the payload is beyond 2^53");
    }
    const size = negative ? (value + 1) / 2 : value / 2;
    if (!Number.isSafeInteger(size)) throw new HdrFormatError("a count of the payload is beyond 2^53");
    return negative ? -size : size;
  }
}
