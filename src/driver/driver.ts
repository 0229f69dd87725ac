/**
 * The contract between the engine and a protocol. A driver owns sockets and bytes; the engine owns requests, times and
 * accounting. Every driver must pass `conformance.testkit.ts`.
 */

/** Why an exchange or a connection failed. Each is a row of the record's `outcomes.errors`. */
export type ErrorKind =
  | "refused" // nobody listens there
  | "unreachable" // no route to host or network
  | "connect-timeout" // the kernel gave up opening the connection
  | "reset" // the peer reset the connection
  | "closed" // the peer closed before a whole answer had come
  | "protocol" // what came is not the protocol
  | "tls" // handshake or certificate
  | "no-descriptors" // this process may open no more files
  | "no-ports" // no local port is left for this destination
  | "other";

/** Where to connect, fully resolved: nothing is looked up once the clock runs. Plain data, so it can cross threads. */
export interface Endpoint {
  /** As the user wrote it; for messages and the Host header. */
  readonly host: string;
  readonly port: number;
  /** IP address to dial. Unused with `socketPath`. */
  readonly address: string;
  readonly family: 4 | 6;
  /** Path of a unix socket to dial instead of an address. */
  readonly socketPath?: string;
  readonly tls?: TlsOptions;
}

/** Client-side TLS. PEM texts, not paths: files are read, and complained about, before the run. */
export interface TlsOptions {
  /** Name sent as SNI and checked against the certificate. */
  readonly servername: string;
  /** `false` after `--insecure`. */
  readonly verify: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** One request, formatted once and sent many times. */
export interface PreparedRequest {
  readonly bytes: Uint8Array;
  readonly method: string;
  /** May be sent again if the connection died before any answer (RFC 9110, 9.2.2). */
  readonly idempotent: boolean;
  /** It asks the peer to close after the answer (`Connection: close`), so the connection is `dead` then. */
  readonly closes?: boolean;
}

export type ConnectionState = "connecting" | "idle" | "busy" | "dead";

export interface Connection {
  readonly state: ConnectionState;
  /** Exchanges begun on it so far. A fresh connection has 0. */
  readonly exchanges: number;
  /** Clock time after which the peer may close it idle (`Keep-Alive: timeout`); `Infinity` if it never said. */
  readonly reusableUntilNs: number;
  /**
   * For the engine's own use: which slot of its tables belongs to this connection. A driver carries it and never reads it.
   */
  tag: number;
  /** Hands the request's bytes to the socket. Throws unless `idle`. */
  send(request: PreparedRequest): void;
  /** Drops the connection at once. Nothing is reported afterwards. */
  destroy(): void;
}

/**
 * What a connection reports. Times are readings of the monotonic clock, one for each batch of bytes that came in.
 * Exactly one of `onDone` and `onFail` ends each exchange, and exactly one of `onFail` and `onGone` ends each
 * connection not destroyed by its owner, unless `onDone` left it `dead` (the answer said `Connection: close`).
 * Listeners may call `send` and `destroy` from inside any of them.
 */
export interface ConnectionListener {
  /** It can carry an exchange: state is `idle`. */
  onOpen(connection: Connection, atNs: number): void;
  /** The first byte of the answer is here (of the final one, not of a 1xx). */
  onFirstByte(connection: Connection, atNs: number): void;
  /** The answer is wholly received; state is `idle`, or `dead` where the connection cannot be used again. */
  onDone(connection: Connection, status: number, bodyBytes: number, atNs: number): void;
  /**
   * The exchange broke; state is `dead`. `sawFirstByte`: some of the answer had come, if only too little for
   * `onFirstByte`.
   */
  onFail(connection: Connection, kind: ErrorKind, detail: string, sawFirstByte: boolean, atNs: number): void;
  /** A connection without an exchange ended: it never opened, or was closed while idle. State is `dead`. */
  onGone(connection: Connection, kind: ErrorKind, detail: string, atNs: number): void;
}

/** A protocol, bound to one endpoint and one listener. */
export interface Driver {
  /** Starts to open a connection; `onOpen` or `onGone` follows, never from inside this call. */
  connect(): Connection;
  /** Destroys every connection it has. */
  close(): void;
}
