import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createMonotonicClock } from "../../clock/monotonic.js";
import { Recorder } from "../conformance.testkit.js";
import type { Endpoint, PreparedRequest, TlsOptions } from "../driver.js";
import { createHttp1Driver, type Http1Options } from "./http1.js";
import { listen, type PeerOptions, pem } from "./peer.testkit.js";

const request = (method = "GET"): PreparedRequest => ({
  bytes: Buffer.from(`${method} / HTTP/1.1\r\nHost: localhost\r\n\r\n`),
  method,
  idempotent: true,
});
const clock = createMonotonicClock();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A driver to the endpoint that sends one request as soon as it can. */
function drive(endpoint: Endpoint, options: Http1Options & { method?: string } = {}): Recorder {
  const recorder = new Recorder();
  recorder.react = ({ what, connection }) => {
    if (what === "open") connection.send(request(options.method));
  };
  const driver = createHttp1Driver(endpoint, recorder, clock, options);
  ends.push(() => driver.close());
  driver.connect();
  return recorder;
}

/** A peer that answers the first bytes of each connection by `answer`. */
async function answering(answer: (socket: Socket) => void, options: PeerOptions = {}): Promise<Endpoint> {
  const { endpoint, stop } = await listen(options, (socket) => socket.once("data", () => answer(socket)));
  ends.push(stop);
  return endpoint;
}

const ok = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;

describe("an answer", () => {
  it("without a length ends when the peer closes", async () => {
    const recorder = drive(await answering((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nabc")));
    expect(await recorder.until("done")).toMatchObject({ status: 200, bodyBytes: 3, state: "dead" });
    expect(recorder.of("gone")).toEqual([]);
  });

  it("cut short says how far it got", async () => {
    const recorder = drive(await answering((socket) => socket.end(`${ok(10)}abc`)));
    expect(await recorder.until("fail")).toMatchObject({
      kind: "closed",
      detail: "the peer closed after 3 of 10 body bytes",
      sawFirstByte: true,
    });
  });

  it.each([
    ["", false],
    ["HTTP/1.1 100 Continue\r\n\r\n", false],
    ["HTTP/1.1 2", true],
  ])("that ends after %j was begun: %s", async (text, sawFirstByte) => {
    const recorder = drive(await answering((socket) => socket.end(text)));
    expect(await recorder.until("fail")).toMatchObject({ kind: "closed", sawFirstByte });
    expect(recorder.of("first")).toEqual([]);
  });

  it("begins with the first byte of the final head, not of a 1xx", async () => {
    const times: number[] = [];
    const recorder = drive(
      await answering((socket) => {
        socket.write("HTTP/1.1 103 Early Hints\r\n\r\n");
        setTimeout(() => {
          times.push(clock.nowNs());
          socket.write("HTTP/1.1 2");
        }, 30);
        setTimeout(() => {
          times.push(clock.nowNs());
          socket.write("00 OK\r\nContent-Length: 0\r\n\r\n");
        }, 60);
      }),
    );
    await recorder.until("done");
    const first = await recorder.until("first");
    expect(first.atNs).toBeGreaterThanOrEqual(times[0]!);
    expect(first.atNs).toBeLessThan(times[1]!);
    expect(recorder.of("first")).toHaveLength(1);
  });

  it("to HEAD has no body", async () => {
    const recorder = drive(await answering((socket) => socket.write(ok(1000))), { method: "HEAD" });
    expect(await recorder.until("done")).toMatchObject({ status: 200, bodyBytes: 0, state: "idle" });
  });

  it("with bytes after it is no answer to trust", async () => {
    const recorder = drive(await answering((socket) => socket.write(`${ok(3)}abcde`)));
    expect(await recorder.until("fail")).toMatchObject({
      kind: "protocol",
      detail: "2 bytes too many after the answer",
    });
  });

  it("nobody asked for ends the idle connection", async () => {
    const recorder = drive(
      await answering((socket) => {
        socket.write(ok(0));
        setTimeout(() => socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n"), 30);
      }),
    );
    expect(await recorder.until("gone")).toMatchObject({
      kind: "protocol",
      detail: "an answer nobody asked for (408)",
    });
  });

  it("tells until when the connection will be kept", async () => {
    const keep = "HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=5\r\n\r\n";
    const recorder = drive(await answering((socket) => socket.write(keep)));
    const { connection, atNs } = await recorder.until("done");
    expect(connection.reusableUntilNs).toBe(atNs + 5e9);
  });
});

describe("the tap", () => {
  it("sees both sides", async () => {
    const sides: string[] = [];
    const tap = {
      sent: (bytes: Uint8Array) => void sides.push(`> ${Buffer.from(bytes).toString()}`),
      received: (bytes: Uint8Array) => void sides.push(`< ${Buffer.from(bytes).toString()}`),
    };
    const recorder = drive(await answering((socket) => socket.write(`${ok(3)}abc`)), { tap });
    await recorder.until("done");
    expect(sides).toEqual([`> ${Buffer.from(request().bytes).toString()}`, `< ${ok(3)}abc`]);
  });
});

describe("over TLS", () => {
  const server = { cert: pem("server.crt"), key: pem("server.key") };
  const expired = { cert: pem("expired.crt"), key: pem("expired.key") };
  const refusal = async (options: PeerOptions, tls: Partial<TlsOptions>) => {
    const endpoint = await answering((socket) => socket.write(ok(0)), options);
    const trusting: TlsOptions = { servername: "localhost", verify: true, ca: pem("ca.crt"), ...tls };
    return drive({ ...endpoint, tls: trusting }).until("gone");
  };

  it.each([
    ["has expired", expired, {}, "the certificate has expired"],
    ["is for another name", server, { servername: "other.test" }, "the certificate is for another name"],
    ["is for another address", server, { servername: "127.0.0.9" }, "the certificate is for another name"],
    [
      "has an unknown issuer",
      server,
      { ca: pem("client.crt") },
      "the certificate's issuer is unknown; --cacert names one to trust, --insecure skips the check",
    ],
  ])("refuses a certificate that %s", async (_how, peerTls, tls, detail) => {
    expect(await refusal({ tls: peerTls }, tls)).toMatchObject({ kind: "tls", detail });
  });

  it("says that the target speaks no TLS", async () => {
    const endpoint = await answering((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const recorder = drive({ ...endpoint, tls: { servername: "localhost", verify: false } });
    expect(await recorder.until("gone")).toMatchObject({
      kind: "tls",
      detail: "the target does not speak TLS: write http://",
    });
  });

  it("says that the peer closed during the handshake", async () => {
    const endpoint = await answering((socket) => socket.end());
    const recorder = drive({ ...endpoint, tls: { servername: "localhost", verify: false } });
    expect(await recorder.until("gone")).toMatchObject({ kind: "tls", detail: expect.stringContaining("handshake") });
  });

  it.each([
    ["any certificate with verify off", expired, { verify: false }],
    ["an address the certificate names", server, { servername: "127.0.0.1" }],
    ["a client certificate", server, { cert: pem("client.crt"), key: pem("client.key") }],
  ])("takes %s", async (_what, peerTls, tls) => {
    const endpoint = await answering((socket) => socket.write(ok(0)), { tls: peerTls });
    const trusting: TlsOptions = { servername: "localhost", verify: true, ca: pem("ca.crt"), ...tls };
    expect(await drive({ ...endpoint, tls: trusting }).until("done")).toMatchObject({ status: 200 });
  });
});

describe("a target that speaks only HTTP/2", () => {
  const local = { host: "localhost", address: "127.0.0.1", family: 4 } as const;

  it("is named in the clear", async () => {
    const server = createHttp2Server();
    server.on("sessionError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => server.close());
    const recorder = drive({ ...local, port: (server.address() as AddressInfo).port });
    expect(await recorder.until("fail")).toMatchObject({
      kind: "protocol",
      detail: "the target speaks only HTTP/2, which this driver does not",
    });
  });

  it("is named over TLS", async () => {
    const server = createSecureServer({ cert: pem("server.crt"), key: pem("server.key"), ALPNProtocols: ["h2"] });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => server.close());
    const tls = { servername: "localhost", verify: true, ca: pem("ca.crt") };
    const recorder = drive({ ...local, port: (server.address() as AddressInfo).port, tls });
    expect(await recorder.until("gone")).toMatchObject({ kind: "tls", detail: expect.stringContaining("only HTTP/2") });
  });
});
