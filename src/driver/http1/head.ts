import { COMMA, isWord, SP, TAB, word, ZERO } from "./characters.js";

const CONNECTION = word("connection");
const KEEP_ALIVE = word("keep-alive");
const CONTENT_LENGTH = word("content-length");
const TRANSFER_ENCODING = word("transfer-encoding");
const CHUNKED = word("chunked");
const CLOSE = word("close");
const TIMEOUT = word("timeout=");

const NOT_A_NUMBER = "Content-Length is not a number";
const LENGTHS_DIFFER = "two Content-Lengths differ";
const LENGTH_TOO_LARGE = "Content-Length is too large";
const BOTH_FRAMINGS = "both Content-Length and Transfer-Encoding are given";

/** What a head says about where its answer ends and whether the connection lives on. */
export class Head {
  /** 0 until the status line has been read. */
  status = 0;
  minorVersion = 1;
  /** Header fields read, of whatever name. */
  fields = 0;
  /** Bytes, or −1 if there was none. */
  contentLength = -1;
  transferEncoded = false;
  /** The last transfer coding is `chunked` (RFC 9112, 6.3: otherwise the body ends with the connection). */
  chunked = false;
  closes = false;
  keepsAlive = false;
  keepAliveTimeoutS = Number.POSITIVE_INFINITY;

  /** The peer will read another request on this connection (RFC 9112, 9.3). */
  get keepsConnection(): boolean {
    return !this.closes && (this.minorVersion === 1 || this.keepsAlive);
  }

  reset(): void {
    this.status = 0;
    this.minorVersion = 1;
    this.fields = 0;
    this.contentLength = -1;
    this.transferEncoded = false;
    this.chunked = false;
    this.closes = false;
    this.keepsAlive = false;
    this.keepAliveTimeoutS = Number.POSITIVE_INFINITY;
  }

  copy(other: Head): void {
    this.status = other.status;
    this.minorVersion = other.minorVersion;
    this.fields = other.fields;
    this.contentLength = other.contentLength;
    this.transferEncoded = other.transferEncoded;
    this.chunked = other.chunked;
    this.closes = other.closes;
    this.keepsAlive = other.keepsAlive;
    this.keepAliveTimeoutS = other.keepAliveTimeoutS;
  }

  /**
   * Takes note of one field, its name `bytes[from, to)` a token, its value `bytes[valueFrom, valueTo)` untrimmed.
   *
   * @returns what is wrong with it, or an empty string. Most fields are told apart by the length of their name.
   */
  takeField(bytes: Uint8Array, from: number, to: number, valueFrom: number, valueTo: number): string {
    switch (to - from) {
      case CONNECTION.length: // and keep-alive
        if (isWord(bytes, from, to, CONNECTION)) this.takeConnection(bytes, valueFrom, valueTo);
        else if (isWord(bytes, from, to, KEEP_ALIVE)) this.takeKeepAlive(bytes, valueFrom, valueTo);
        return "";
      case CONTENT_LENGTH.length:
        return isWord(bytes, from, to, CONTENT_LENGTH) ? this.takeContentLength(bytes, valueFrom, valueTo) : "";
      case TRANSFER_ENCODING.length:
        return isWord(bytes, from, to, TRANSFER_ENCODING) ? this.takeTransferEncoding(bytes, valueFrom, valueTo) : "";
      default:
        return "";
    }
  }

  private takeConnection(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const end = elementEnd(bytes, at, to);
      const start = skipSpace(bytes, at, end);
      const stop = trimSpace(bytes, start, end);
      if (isWord(bytes, start, stop, CLOSE)) this.closes = true;
      else if (isWord(bytes, start, stop, KEEP_ALIVE)) this.keepsAlive = true;
      at = end + 1;
    }
  }

  private takeKeepAlive(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const end = elementEnd(bytes, at, to);
      const start = skipSpace(bytes, at, end);
      const digits = start + TIMEOUT.length;
      if (digits < end && isWord(bytes, start, digits, TIMEOUT)) {
        const seconds = readNumber(bytes, digits, trimSpace(bytes, digits, end));
        if (seconds >= 0) this.keepAliveTimeoutS = seconds;
      }
      at = end + 1;
    }
  }

  /** A list of equal numbers is one number (RFC 9110, 8.6); anything else is an answer of unknown length. */
  private takeContentLength(bytes: Uint8Array, from: number, to: number): string {
    if (this.transferEncoded) return BOTH_FRAMINGS;
    let at = from;
    do {
      const end = elementEnd(bytes, at, to);
      const start = skipSpace(bytes, at, end);
      const length = readNumber(bytes, start, trimSpace(bytes, start, end));
      if (length < 0) return NOT_A_NUMBER;
      if (length > Number.MAX_SAFE_INTEGER) return LENGTH_TOO_LARGE;
      if (this.contentLength >= 0 && this.contentLength !== length) return LENGTHS_DIFFER;
      this.contentLength = length;
      at = end + 1;
    } while (at <= to);
    return "";
  }

  private takeTransferEncoding(bytes: Uint8Array, from: number, to: number): string {
    if (this.contentLength >= 0) return BOTH_FRAMINGS;
    this.transferEncoded = true;
    for (let at = from; at < to; ) {
      const end = elementEnd(bytes, at, to);
      const start = skipSpace(bytes, at, end);
      const stop = trimSpace(bytes, start, end);
      if (stop > start) this.chunked = isWord(bytes, start, stop, CHUNKED);
      at = end + 1;
    }
    return "";
  }
}

/** Where the element of a comma-separated list that begins at `at` ends. */
function elementEnd(bytes: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && bytes[end] !== COMMA) end++;
  return end;
}

function skipSpace(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === SP || bytes[at] === TAB)) at++;
  return at;
}

function trimSpace(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && (bytes[end - 1] === SP || bytes[end - 1] === TAB)) end--;
  return end;
}

/** The decimal number `bytes[from, to)`, `Infinity` at worst, or −1 if it is none. */
function readNumber(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return -1;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
