import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls";
import type { Peer, PeerMove } from "../conformance.testkit.js";
import type { Endpoint } from "../driver.js";

/** A text of `test/data/tls`. */
export const pem = (name: string): string =>
  readFileSync(new URL(`../../../test/data/tls/${name}`, import.meta.url), "utf8");

export interface PeerOptions {
  readonly socketPath?: string;
  readonly tls?: SecureContextOptions;
}

/** Starts a server on loopback or a unix socket that hands each connection, once it speaks, to `accept`. */
export async function listen(
  options: PeerOptions,
  accept: (socket: Socket, raw: Socket) => void,
): Promise<{ endpoint: Endpoint; stop: () => Promise<void> }> {
  const open = new Set<Socket>();
  const secureContext = options.tls && createSecureContext(options.tls);
  const server = createServer({ allowHalfOpen: true }, (raw) => {
    open.add(raw);
    raw.on("close", () => open.delete(raw));
    raw.on("error", () => {});
    const socket = secureContext === undefined ? raw : new TLSSocket(raw, { isServer: true, secureContext });
    socket.on("error", () => {});
    accept(socket, raw);
  });
  const { socketPath } = options;
  await new Promise<void>((resolve) => {
    if (socketPath !== undefined) server.listen(socketPath, resolve);
    else server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    endpoint: {
      host: "localhost",
      port,
      address: "127.0.0.1",
      family: 4,
      ...(socketPath !== undefined && { socketPath }),
      ...(options.tls !== undefined && { tls: { servername: "localhost", verify: true, ca: pem("ca.crt") } }),
    },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The conformance suite's peer, speaking HTTP/1.1 to requests without a body. */
export async function startHttp1Peer(options: PeerOptions = {}): Promise<Peer> {
  const moves: PeerMove[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  const { endpoint, stop } = await listen(options, (socket, raw) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("end", () => socket.end());
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        text = text.slice(end + 4);
        requests++;
        perform(moves.shift() ?? { do: "answer", status: 200, bodyBytes: 5 }, socket, raw);
      }
    });
  });
  return {
    endpoint,
    script: (...more) => {
      moves.push(...more);
    },
    get connections() {
      return connections;
    },
    get requests() {
      return requests;
    },
    hangUp: () => {
      for (const socket of sockets) socket.end();
    },
    stop,
  };
}

function perform(move: PeerMove, socket: Socket, raw: Socket): void {
  switch (move.do) {
    case "answer": {
      const last = move.last === true ? "Connection: close\r\n" : "";
      socket.write(`HTTP/1.1 ${move.status} Said\r\nContent-Length: ${move.bodyBytes}\r\n${last}\r\n`);
      socket.write(Buffer.alloc(move.bodyBytes, "x"));
      if (move.last === true) socket.end();
      break;
    }
    case "end": {
      const finish = () => (move.by === "reset" ? raw.resetAndDestroy() : socket.end());
      if (!move.midAnswer) finish();
      // Let the beginning arrive first: a reset overtakes what is still in the receiver's buffer.
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning", () => setTimeout(finish, 20));
      break;
    }
    case "babble":
      socket.write("220 mail.example.org ESMTP\r\n");
      break;
    case "stall":
      break;
  }
}
