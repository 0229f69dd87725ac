import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { tlsFile } from "./tls.js";

/** A request as it arrived. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Listener {
  readonly port: number;
  readonly arrivals: readonly Arrival[];
}

export interface ListenerOptions {
  /** A unix socket, in place of a port. */
  readonly socketPath?: string;
  /** Speaks TLS with the certificate of this name in `test/data/tls`. */
  readonly certificate?: string;
  /** Asks clients for a certificate of the test CA. */
  readonly askForCertificate?: boolean;
  /** Header lines of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** A well-behaved HTTP server that keeps what it was sent. */
export async function listen(options: ListenerOptions = {}): Promise<Listener> {
  const arrivals: Arrival[] = [];
  const onRequest: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => {
      body += bytes.toString("latin1");
    });
    request.on("end", () => {
      arrivals.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      response.writeHead(options.status ?? 200, options.headers);
      response.end("ok\n");
    });
  };
  const name = options.certificate;
  const server =
    name === undefined
      ? createServer(onRequest)
      : createTlsServer(
          {
            cert: tlsFile(`${name}.crt`).pem,
            key: tlsFile(`${name}.key`).pem,
            ca: tlsFile("ca.crt").pem,
            requestCert: options.askForCertificate === true,
            rejectUnauthorized: options.askForCertificate === true,
          },
          onRequest,
        );
  const where = options.socketPath === undefined ? { port: 0, host: "127.0.0.1" } : { path: options.socketPath };
  await new Promise<void>((resolve) => server.listen(where, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  return { port: typeof address === "string" ? 0 : (address as AddressInfo).port, arrivals };
}
