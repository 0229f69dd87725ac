import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeDriver } from "../conformance.testkit.js";
import { createHttp1Driver } from "./http1.js";
import { pem, startHttp1Peer } from "./peer.testkit.js";

const get = (headers: string) => Buffer.from(`GET / HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
const common = {
  createDriver: createHttp1Driver,
  request: { bytes: get(""), method: "GET", idempotent: true },
  closingRequest: { bytes: get("Connection: close\r\n"), method: "GET", idempotent: true, closes: true },
} as const;

describeDriver("http1 over TCP", { ...common, startPeer: () => startHttp1Peer(), resets: true });

const directory = mkdtempSync(join(tmpdir(), "tailrace-"));
afterAll(() => rmSync(directory, { recursive: true }));
let sockets = 0;
describeDriver("http1 over a unix socket", {
  ...common,
  startPeer: () => startHttp1Peer({ socketPath: join(directory, `${sockets++}.sock`) }),
  resets: false,
});

const serverTls = { cert: pem("server.crt"), key: pem("server.key") };
describeDriver("http1 over TLS", { ...common, startPeer: () => startHttp1Peer({ tls: serverTls }), resets: true });
