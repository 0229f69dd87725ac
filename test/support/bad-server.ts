import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What a server does with the `index`-th request (from 0) of a connection; `total` counts those of all connections. */
export type Script = (socket: Socket, request: { readonly index: number; readonly total: number }) => void;

export interface BadServer {
  readonly url: string;
  readonly port: number;
  /** So far. */
  readonly seen: { connections: number; requests: number };
}

export interface BadServerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly onConnection?: (socket: Socket) => void;
}

const HEAD_END = "\r\n\r\n";

/** A plain TCP server that reads request heads (requests have no bodies here) and answers each as the script likes. */
export async function badServer(script: Script, options: BadServerOptions = {}): Promise<BadServer> {
  const seen = { connections: 0, requests: 0 };
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    options.onConnection?.(socket);
    let pending = "";
    let index = 0;
    socket.on("data", (bytes) => {
      pending += bytes.toString("latin1");
      for (let end = pending.indexOf(HEAD_END); end >= 0; end = pending.indexOf(HEAD_END)) {
        pending = pending.slice(end + HEAD_END.length);
        script(socket, { index: index++, total: seen.requests++ });
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host: options.host ?? "127.0.0.1", backlog: 4096 }, resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, seen };
}

/** A whole answer of status 200 with extra header lines. */
export function answer(body = "ok\n", ...headers: readonly string[]): string {
  const lines = ["HTTP/1.1 200 OK", `Content-Length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join("\r\n")}${HEAD_END}${body}`;
}

/** A port of this machine on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
