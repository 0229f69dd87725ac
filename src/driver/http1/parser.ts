import { COLON, CR, HEX_VALUE, LF, SEMICOLON, SP, TAB, TOKEN_BYTE, VALUE_BYTE, word, ZERO } from "./characters.js";
import { Head } from "./head.js";
import type { HeadMemory } from "./head-memory.js";
import { LineCarry } from "./line-carry.js";

/** Bytes of all heads of an answer (those of 1xx too) and its trailers together. */
export const HEAD_LIMIT_BYTES = 64 * 1024;
/** Fields of the head and trailers together. */
export const HEADER_LIMIT = 256;
/** Bytes of one line that announces a chunk, with its extensions. */
export const CHUNK_LINE_LIMIT_BYTES = 16 * 1024;

export const HTTP2_ONLY = "the target speaks only HTTP/2, which this driver does not";

// Stages. Those before BODY are read line by line; from DONE on nothing is read.
const STATUS_LINE = 0;
const HEADERS = 1;
const CHUNK_SIZE = 2;
const CHUNK_END = 3;
const TRAILERS = 4;
const BODY = 5;
const CHUNK_DATA = 6;
const BODY_TO_CLOSE = 7;
const DONE = 8;
const FAILED = 9;

const INCOMPLETE = -1;
const STATUS_LINE_START = word("HTTP/1.");
const FRAME_SETTINGS = 4;
const FRAME_GOAWAY = 7;
const TLS_ALERT = 0x15;

/**
 * Reads HTTP/1.1 answers (RFC 9112) as their bytes come, one at a time, and keeps none of them: bodies are counted.
 *
 * It works on the caller's buffer, which may be reused after each call. Only the beginning of a line whose end has not
 * come is copied. A line is judged when its line feed is there, so how the bytes were cut up never changes the outcome;
 * only what cannot begin an answer is refused at once, because a peer that speaks something else may never send one.
 *
 * As strict as llhttp: no bare CR or LF, no folded headers, no space before a colon, no `Content-Length` beside
 * `Transfer-Encoding`. Laxer where RFC 9110 (8.6) allows: equal repeated `Content-Length` are one.
 */
export class ResponseParser {
  /** Bytes of content so far, without the framing of chunks. */
  bodyBytes = 0;
  /** Answers 1xx passed over before the final one. */
  interims = 0;
  /** What is wrong, in a few words; empty as long as nothing is. */
  problem = "";

  private readonly memory: HeadMemory;
  private readonly head = new Head();
  private readonly carry = new LineCarry();
  private stage = DONE;
  private bodyless = false;
  private remaining = 0;
  private headBytes = 0;
  /** Where in the bytes being read the head began, if it did and is all there; else −1. */
  private headFrom = -1;
  private endedByClose = false;

  /** @param memory may be shared by all parsers of one server's answers */
  constructor(memory: HeadMemory) {
    this.memory = memory;
  }

  /** An answer has been read to its end. */
  get done(): boolean {
    return this.stage === DONE;
  }

  get failed(): boolean {
    return this.stage === FAILED;
  }

  /** Some of the answer has come; a 1xx passed over is none of it. */
  get begun(): boolean {
    return this.stage !== STATUS_LINE || this.carry.length > 0;
  }

  /** Status code read last: that of the final answer once it is 200 or more, 0 before any. */
  get status(): number {
    return this.head.status;
  }

  /** Once done: the connection can carry another exchange. */
  get reusable(): boolean {
    return !this.endedByClose && this.head.keepsConnection;
  }

  /** Seconds the peer promised to keep an idle connection open (`Keep-Alive: timeout=…`), or `Infinity`. */
  get keepAliveTimeoutS(): number {
    return this.head.keepAliveTimeoutS;
  }

  /** Expects an answer. @param bodyless it has no body whatever its head says: the request was HEAD */
  begin(bodyless: boolean): void {
    this.stage = STATUS_LINE;
    this.bodyBytes = 0;
    this.interims = 0;
    this.problem = "";
    this.bodyless = bodyless;
    this.headBytes = 0;
    this.endedByClose = false;
    this.carry.length = 0;
    this.head.reset();
  }

  /** Reads `bytes[from, to)`. @returns where it stopped: `to`, or before it once done or failed */
  feed(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    this.headFrom = -1;
    if (this.stage === STATUS_LINE && this.headBytes === 0 && this.carry.length === 0) {
      this.headFrom = from;
      this.headBytes = this.memory.recall(bytes, from, to, this.head);
      at += this.headBytes;
      if (at > from) this.endHead();
    }
    while (at < to && this.stage < DONE) {
      if (this.stage < BODY) {
        at = this.takeLine(bytes, at, to);
      } else if (this.stage === BODY_TO_CLOSE) {
        this.bodyBytes += to - at;
        at = to;
      } else {
        const taken = Math.min(this.remaining, to - at);
        at += taken;
        this.bodyBytes += taken;
        this.remaining -= taken;
        if (this.remaining === 0) this.stage = this.stage === BODY ? DONE : CHUNK_END;
      }
    }
    return at;
  }

  /** The peer will send no more. An answer without a length ends here; whatever else was being read stays undone. */
  end(): void {
    if (this.stage !== BODY_TO_CLOSE) return;
    this.endedByClose = true;
    this.stage = DONE;
  }

  /** How far it got, for a message: `after 10 of 612 body bytes`. */
  progress(): string {
    if (this.stage === BODY) return `after ${this.bodyBytes} of ${this.bodyBytes + this.remaining} body bytes`;
    if (this.stage > HEADERS) return `inside the body, after ${this.bodyBytes} bytes of it`;
    return this.stage === STATUS_LINE && this.carry.length === 0
      ? "before any answer"
      : "inside the head of the answer";
  }

  private takeLine(bytes: Uint8Array, at: number, to: number): number {
    const { carry } = this;
    if (carry.length === 0) {
      const next = this.readLine(bytes, at, to);
      if (next !== INCOMPLETE) return next;
      carry.append(bytes, at, to);
      this.checkLength(carry.length);
      return to;
    }
    const before = carry.length;
    const end = carry.appendLine(bytes, at, to);
    // Without its line feed, only a line's first bytes can tell anything. Not asking again and again keeps a peer that
    // sends a long line byte by byte from taking time in the square of its length.
    const telling = bytes[end - 1] === LF || before < STATUS_LINE_START.length;
    if (telling && this.readLine(carry.bytes, 0, carry.length) !== INCOMPLETE) carry.length = 0;
    else this.checkLength(carry.length);
    return end;
  }

  /** @returns the position after the line, or INCOMPLETE, having changed nothing */
  private readLine(bytes: Uint8Array, at: number, to: number): number {
    switch (this.stage) {
      case STATUS_LINE:
        return this.readStatusLine(bytes, at, to);
      case CHUNK_SIZE:
        return this.readChunkSize(bytes, at, to);
      case CHUNK_END:
        return this.readChunkEnd(bytes, at, to);
      default:
        return this.readHeader(bytes, at, to);
    }
  }

  /** `HTTP/1.1 200 OK`; the reason may be missing, and so may the space before it. */
  private readStatusLine(bytes: Uint8Array, start: number, to: number): number {
    for (let i = 0; i < STATUS_LINE_START.length; i++) {
      if (start + i >= to) return INCOMPLETE;
      if (bytes[start + i] !== STATUS_LINE_START[i]) return this.refuseStart(bytes, start, to);
    }
    let at = start + STATUS_LINE_START.length;
    const minorVersion = bytes[at]! - ZERO;
    if (minorVersion !== 1 && minorVersion !== 0) return this.refuse(bytes, start, at, to, "unknown HTTP version");
    if (bytes[at + 1] !== SP) return this.refuse(bytes, start, at + 1, to, "no space after the HTTP version");
    at += 2;
    let status = 0;
    for (const end = at + 3; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9)) return this.refuse(bytes, start, at, to, "status code is not three digits");
      status = status * 10 + digit;
    }
    if (status < 100) return this.refuse(bytes, start, at, to, "status code is below 100");
    if (bytes[at] === SP) {
      do at++;
      while (at < to && VALUE_BYTE[bytes[at]!] === 1);
    }
    if (at + 1 >= to || bytes[at] !== CR || bytes[at + 1] !== LF) {
      return this.refuse(bytes, start, at, to, "status line has a byte it may not have");
    }
    at += 2;
    if (!this.countHead(at - start)) return at;
    this.head.minorVersion = minorVersion;
    this.head.status = status;
    this.stage = HEADERS;
    return at;
  }

  /** One header or trailer, or the empty line after them. */
  private readHeader(bytes: Uint8Array, start: number, to: number): number {
    let at = start;
    while (at < to && TOKEN_BYTE[bytes[at]!] === 1) at++;
    const nameTo = at;
    if (nameTo === start) {
      if (at + 1 < to && bytes[at] === CR && bytes[at + 1] === LF) {
        if (this.countHead(2)) this.endFields(bytes, at + 2);
        return at + 2;
      }
      const folded = bytes[at] === SP || bytes[at] === TAB;
      return this.refuse(bytes, start, at, to, folded ? "folded header" : "header without a name");
    }
    if (at >= to || bytes[at] !== COLON) {
      return this.refuse(bytes, start, at, to, "header name has a byte it may not have");
    }
    const valueFrom = ++at;
    while (at < to && VALUE_BYTE[bytes[at]!] === 1) at++;
    if (at + 1 >= to || bytes[at] !== CR || bytes[at + 1] !== LF) {
      return this.refuse(bytes, start, at, to, "header value has a byte it may not have");
    }
    const next = at + 2;
    if (!this.countHead(next - start)) return next;
    if (++this.head.fields > HEADER_LIMIT) return this.fail(`more than ${HEADER_LIMIT} headers`, next);
    if (this.stage === HEADERS) {
      const problem = this.head.takeField(bytes, start, nameTo, valueFrom, at);
      if (problem !== "") return this.fail(problem, next);
    }
    return next;
  }

  /** `1a2b;name=value`: what follows the size is checked for control characters and passed over. */
  private readChunkSize(bytes: Uint8Array, start: number, to: number): number {
    let at = start;
    let size = 0;
    while (at < to && HEX_VALUE[bytes[at]!] !== 255) size = size * 16 + HEX_VALUE[bytes[at++]!]!;
    if (at === start) return this.refuse(bytes, start, at, to, "chunk size is not a hexadecimal number");
    if (bytes[at] === SEMICOLON) {
      do at++;
      while (at < to && VALUE_BYTE[bytes[at]!] === 1);
    }
    if (at + 1 >= to || bytes[at] !== CR || bytes[at + 1] !== LF) {
      return this.refuse(bytes, start, at, to, "chunk size has a byte it may not have");
    }
    at += 2;
    if (!this.checkLength(at - start)) return at;
    if (size > Number.MAX_SAFE_INTEGER) return this.fail("chunk size is too large", at);
    this.remaining = size;
    this.stage = size === 0 ? TRAILERS : CHUNK_DATA;
    return at;
  }

  private readChunkEnd(bytes: Uint8Array, at: number, to: number): number {
    if (bytes[at] !== CR) return this.fail("chunk is longer than its size", at);
    if (at + 1 >= to) return INCOMPLETE;
    if (bytes[at + 1] !== LF) return this.fail("chunk is longer than its size", at);
    this.stage = CHUNK_SIZE;
    return at + 2;
  }

  /** The empty line has come: after trailers, after an answer 1xx, or after the head awaited. */
  private endFields(bytes: Uint8Array, at: number): void {
    const { head } = this;
    if (this.stage === TRAILERS) {
      this.stage = DONE;
    } else if (head.status === 101) {
      this.fail("switches protocols (101) unasked", at);
    } else if (head.status < 200) {
      this.interims++;
      this.headFrom = -1;
      head.reset();
      this.stage = STATUS_LINE;
    } else {
      if (this.headFrom >= 0) this.memory.remember(bytes, this.headFrom, at, head);
      this.endHead();
    }
  }

  /** Where the body ends: RFC 9112, 6.3, in its order. */
  private endHead(): void {
    const { head } = this;
    if (this.bodyless || head.status === 204 || head.status === 304) {
      this.stage = DONE;
    } else if (head.transferEncoded) {
      this.stage = head.chunked ? CHUNK_SIZE : BODY_TO_CLOSE;
    } else if (head.contentLength >= 0) {
      this.remaining = head.contentLength;
      this.stage = this.remaining === 0 ? DONE : BODY;
    } else {
      this.stage = BODY_TO_CLOSE;
    }
  }

  private countHead(lineBytes: number): boolean {
    const fits = this.checkLength(lineBytes);
    this.headBytes += lineBytes;
    return fits;
  }

  /** Fails if the line being read is too long already. */
  private checkLength(lineBytes: number): boolean {
    if (this.stage === CHUNK_SIZE) {
      if (lineBytes > CHUNK_LINE_LIMIT_BYTES) this.fail("chunk extensions of more than 16 KiB", 0);
    } else if (this.stage !== CHUNK_END && this.headBytes + lineBytes > HEAD_LIMIT_BYTES) {
      this.fail("head of more than 64 KiB", 0);
    }
    return this.stage !== FAILED;
  }

  /** The line that began at `start` is bad at `at`, if it has come wholly; else nobody can say yet. */
  private refuse(bytes: Uint8Array, start: number, at: number, to: number, problem: string): number {
    const lineFeed = bytes.indexOf(LF, at);
    if (lineFeed < 0 || lineFeed >= to) return INCOMPLETE;
    if (!this.checkLength(lineFeed + 1 - start)) return lineFeed + 1;
    return this.fail(problem, lineFeed + 1);
  }

  /** What came is no HTTP/1 answer. Two likely mix-ups are told by their first four bytes. */
  private refuseStart(bytes: Uint8Array, start: number, to: number): number {
    const first = bytes[start];
    if (first === 0) {
      // An HTTP/2 frame: three bytes of length, one of type (RFC 9113, 4.1).
      if (to - start < 4) return INCOMPLETE;
      const type = bytes[start + 3];
      if (type === FRAME_SETTINGS || type === FRAME_GOAWAY) return this.fail(HTTP2_ONLY, start);
    }
    if (first === TLS_ALERT) return this.fail("the target speaks TLS: write https://", start);
    return this.fail("status line does not start with HTTP/1.", start);
  }

  private fail(problem: string, at: number): number {
    this.problem = problem;
    this.stage = FAILED;
    return at;
  }
}
