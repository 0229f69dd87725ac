import { LF } from "./characters.js";

const FIRST_BYTES = 512;

/** Holds the beginning of a line until its end comes. Most connections never need it, so it takes no memory till then. */
export class LineCarry {
  bytes = Buffer.alloc(0);
  length = 0;

  append(bytes: Uint8Array, from: number, to: number): void {
    const length = this.length + to - from;
    if (length > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.bytes.length, FIRST_BYTES));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(bytes.subarray(from, to), this.length);
    this.length = length;
  }

  /**
   * Appends up to the first line feed. A byte zero begins no line but perhaps a frame, in which a line feed means
   * nothing: such bytes are taken one at a time.
   *
   * @returns the position after the last byte taken
   */
  appendLine(bytes: Uint8Array, from: number, to: number): number {
    let end = from + 1;
    if (this.bytes[0] !== 0) while (end < to && bytes[end - 1] !== LF) end++;
    this.append(bytes, from, end);
    return end;
  }
}
