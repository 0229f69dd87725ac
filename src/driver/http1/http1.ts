import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, connect as connectTls, createSecureContext } from "node:tls";
import type { MonotonicClock } from "../../clock/monotonic.js";
import type { Connection, ConnectionListener, Driver, Endpoint, TlsOptions } from "../driver.js";
import { Http1Connection, type Http1Shared, type Tap } from "./connection.js";
import { HeadMemory } from "./head-memory.js";

const READ_BUFFER_BYTES = 64 * 1024;

export interface Http1Options {
  readonly tap?: Tap;
}

/**
 * HTTP/1.1 over TCP, a unix socket or TLS, without pipelining.
 *
 * @throws if the PEM texts of `endpoint.tls` cannot be read; `resolveEndpoint` has checked those it returns
 */
export function createHttp1Driver(
  endpoint: Endpoint,
  listener: ConnectionListener,
  clock: MonotonicClock,
  options: Http1Options = {},
): Driver {
  return new Http1Driver(endpoint, listener, clock, options);
}

/** How to open a socket to the endpoint whose bytes go to `onread`. */
type Dial = (onread: OnReadOpts) => Socket;

class Http1Driver implements Driver {
  private readonly shared: Http1Shared;
  private readonly dial: Dial;
  private readonly openEvent: "connect" | "secureConnect";

  constructor(endpoint: Endpoint, listener: ConnectionListener, clock: MonotonicClock, options: Http1Options) {
    const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
    this.shared = { listener, clock, tap: options.tap, readBuffer, headMemory: new HeadMemory(), living: new Set() };
    this.dial = endpoint.tls === undefined ? plainDial(endpoint) : tlsDial(endpoint, endpoint.tls);
    this.openEvent = endpoint.tls === undefined ? "connect" : "secureConnect";
  }

  connect(): Connection {
    const connection = new Http1Connection(this.shared);
    const { readBuffer } = this.shared;
    const socket = this.dial({
      buffer: readBuffer,
      callback: (length) => {
        connection.received(readBuffer, length);
        return true;
      },
    });
    socket.setNoDelay(true);
    connection.attach(socket, this.openEvent);
    this.shared.living.add(connection);
    return connection;
  }

  close(): void {
    for (const connection of this.shared.living) connection.destroy();
  }
}

function plainDial(endpoint: Endpoint): Dial {
  const target = addressOf(endpoint);
  return (onread) => connectTcp({ ...target, onread });
}

/**
 * `tls.connect` reads into `onread` only on a socket it opens itself; given a `socket` it ignores it. One secure context
 * serves all connections, since reading the root certificates takes milliseconds.
 */
function tlsDial(endpoint: Endpoint, tls: TlsOptions): Dial {
  const { ca, cert, key, servername, verify } = tls;
  const options: ConnectionOptions = {
    secureContext: createSecureContext({
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    }),
    rejectUnauthorized: verify,
    // RFC 6066, 3: an address is no server name to send, but a certificate may name it.
    servername: isIP(servername) === 0 ? servername : "",
    checkServerIdentity: (_dialed, certificate) => checkServerIdentity(servername, certificate),
    ALPNProtocols: ["http/1.1"],
  };
  const target = { ...options, ...addressOf(endpoint) };
  return (onread) => {
    const withOnread: ConnectionOptions & { onread: OnReadOpts } = { ...target, onread };
    return connectTls(withOnread);
  };
}

/** The host is an IP address, so there is nothing to look up and no family to choose (`autoSelectFamily`). */
const addressOf = ({ socketPath, address, port }: Endpoint) =>
  socketPath !== undefined ? { path: socketPath } : { host: address, port, autoSelectFamily: false };
