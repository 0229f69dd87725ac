import type { Socket } from "node:net";
import type { MonotonicClock } from "../../clock/monotonic.js";
import type { Connection, ConnectionListener, ConnectionState, ErrorKind, PreparedRequest } from "../driver.js";
import { readFailure } from "./failure.js";
import type { HeadMemory } from "./head-memory.js";
import { ResponseParser } from "./parser.js";

const NS_PER_S = 1e9;

/** Sees all bytes in either direction, as `--check` prints them. The bytes are the driver's: copy what is kept. */
export interface Tap {
  sent(bytes: Uint8Array): void;
  received(bytes: Uint8Array): void;
}

/** What all connections of a driver share. */
export interface Http1Shared {
  readonly listener: ConnectionListener;
  readonly clock: MonotonicClock;
  readonly tap: Tap | undefined;
  /** Every socket reads into this one buffer: what came must be consumed before the loop turns to another socket. */
  readonly readBuffer: Uint8Array;
  readonly headMemory: HeadMemory;
  /** Those not dead. */
  readonly living: Set<Http1Connection>;
}

/**
 * One connection and the exchange on it. After `attach`, everything that happens per request is in `send` and
 * `received`, and neither allocates; the socket's events tell only of its beginning and end.
 */
export class Http1Connection implements Connection {
  state: ConnectionState = "connecting";
  exchanges = 0;
  reusableUntilNs = Number.POSITIVE_INFINITY;
  tag = -1;

  private readonly shared: Http1Shared;
  private readonly parser: ResponseParser;
  private socket!: Socket;
  private handshaking = false;
  private lastExchange = false;
  private sawFirstByte = false;
  private answerBeganNs = 0;
  private answerBeganAfterInterims = -1;

  private readonly written: (error?: Error | null) => void;

  constructor(shared: Http1Shared) {
    this.shared = shared;
    this.written = (error) => {
      if (error != null) this.errored(error);
    };
    this.parser = new ResponseParser(shared.headMemory);
  }

  /** Binds the socket, which is still connecting and has `onread` call `received`. */
  attach(socket: Socket, openEvent: "connect" | "secureConnect"): void {
    this.socket = socket;
    if (openEvent === "secureConnect") {
      socket.on("connect", () => {
        this.handshaking = true;
      });
    }
    socket.on(openEvent, () => this.opened());
    socket.on("error", (error) => this.errored(error));
    socket.on("end", () => this.ended());
    socket.on("close", () => this.broke("closed", "the connection closed", this.shared.clock.nowNs()));
  }

  send(request: PreparedRequest): void {
    if (this.state !== "idle") throw new Error(`send on a connection that is ${this.state}`);
    this.state = "busy";
    this.exchanges++;
    this.lastExchange = request.closes === true;
    this.sawFirstByte = false;
    this.answerBeganAfterInterims = -1;
    this.parser.begin(request.method === "HEAD");
    if (this.shared.tap !== undefined) this.shared.tap.sent(request.bytes);
    this.socket._write(request.bytes, "buffer" as BufferEncoding, this.written);
  }

  destroy(): void {
    if (this.state !== "dead") this.die();
  }

  /** `bytes[0, length)` have come. */
  received(bytes: Uint8Array, length: number): void {
    const { parser } = this;
    const atNs = this.shared.clock.nowNs();
    if (this.shared.tap !== undefined) this.shared.tap.received(bytes.subarray(0, length));
    if (this.state !== "busy") {
      if (this.state !== "dead") this.unasked(bytes, length, atNs);
      return;
    }
    const consumed = parser.feed(bytes, 0, length);
    if (!this.sawFirstByte) {
      if (this.answerBeganAfterInterims !== parser.interims && parser.begun) {
        this.answerBeganAfterInterims = parser.interims;
        this.answerBeganNs = atNs;
      }
      if (parser.status >= 200) {
        this.sawFirstByte = true;
        this.shared.listener.onFirstByte(this, this.answerBeganNs);
        if (this.state !== "busy") return;
      }
    }
    if (parser.done) {
      if (consumed === length) this.answered(atNs);
      else this.broke("protocol", `${length - consumed} bytes too many after the answer`, atNs);
    } else if (parser.failed) {
      this.broke("protocol", parser.problem, atNs);
    }
  }

  private opened(): void {
    if (this.state !== "connecting") return;
    this.handshaking = false;
    this.state = "idle";
    this.shared.listener.onOpen(this, this.shared.clock.nowNs());
  }

  private answered(atNs: number): void {
    const { parser } = this;
    if (parser.reusable && !this.lastExchange) {
      this.reusableUntilNs = atNs + parser.keepAliveTimeoutS * NS_PER_S;
      this.state = "idle";
    } else {
      this.die();
    }
    this.shared.listener.onDone(this, parser.status, parser.bodyBytes, atNs);
  }

  /** Bytes without a request: a server's farewell (408), or another protocol's greeting. */
  private unasked(bytes: Uint8Array, length: number, atNs: number): void {
    this.parser.begin(false);
    this.parser.feed(bytes, 0, length);
    const { status, problem } = this.parser;
    this.broke(
      "protocol",
      problem || (status > 0 ? `an answer nobody asked for (${status})` : "bytes nobody asked for"),
      atNs,
    );
  }

  private ended(): void {
    const atNs = this.shared.clock.nowNs();
    if (this.state === "busy") {
      this.parser.end();
      if (this.parser.done) this.answered(atNs);
      else this.broke("closed", `the peer closed ${this.parser.progress()}`, atNs);
    } else if (this.state === "connecting") {
      this.broke("tls", "the peer closed during the TLS handshake", atNs);
    } else {
      this.broke("closed", "the peer closed the idle connection", atNs);
    }
  }

  private errored(error: Error): void {
    const during = this.state !== "connecting" ? "open" : this.handshaking ? "handshaking" : "connecting";
    const { kind, detail } = readFailure(error, during);
    this.broke(kind, detail, this.shared.clock.nowNs());
  }

  /** The one way out that is reported: as the exchange's failure if there is one, else as the connection's. */
  private broke(kind: ErrorKind, detail: string, atNs: number): void {
    if (this.state === "dead") return;
    const busy = this.state === "busy";
    this.die();
    if (busy) this.shared.listener.onFail(this, kind, detail, this.parser.begun, atNs);
    else this.shared.listener.onGone(this, kind, detail, atNs);
  }

  private die(): void {
    this.state = "dead";
    this.shared.living.delete(this);
    this.socket.destroy();
  }
}
