import { Agent } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { histogramFromBase64 } from "../hdr/index.js";
import type { ServerConfig } from "./config.js";
import type { RunningServer, ServerStats } from "./http.js";
import { ask, askAndHangUp, startTestServer, until } from "./http.testkit.js";

const MS = 1_000_000;
const NONE = {
  arrivals: 0,
  completions: 0,
  failures: 0,
  resets: 0,
  refusedByLimit: 0,
  refusedByQueue: 0,
  cancelled: 0,
  inFlight: 0,
  hangups: 0,
};

const running: RunningServer[] = [];
async function start(knobs: Partial<ServerConfig> = {}): Promise<RunningServer> {
  const server = await startTestServer(knobs);
  running.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** `wait;dur=1.500, service;dur=5.000` as numbers. */
function serverTiming(header: unknown): { waitMs: number; serviceMs: number } {
  const match = /^wait;dur=(\d+\.\d{3}), service;dur=(\d+\.\d{3})$/.exec(String(header));
  return { waitMs: Number(match?.[1]), serviceMs: Number(match?.[2]) };
}

describe("startServer", () => {
  it("answers with a body of the size asked for, and its true wait and service", async () => {
    const server = await start({ bodyBytes: 7 });
    const answer = await ask(server);
    expect(answer).toMatchObject({ status: 200, body: "ok\nok\no" });
    expect(serverTiming(answer.headers["server-timing"])).toEqual({ waitMs: 0, serviceMs: 1 });
  });

  it("sends bodies larger than one write, and none to HEAD", async () => {
    const server = await start({ bodyBytes: 1_000_000 });
    expect((await ask(server)).body.length).toBe(1_000_000);
    const head = await ask(server, "/", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe("1000000");
  });

  it("keeps connections alive", async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 5; i++) expect((await ask(server, "/", { agent })).status).toBe(200);
    expect(Object.values(agent.freeSockets).flat().length).toBe(1);
    agent.destroy();
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 5, completions: 5 });
  });

  it("lets those who come together wait for one another, and says so", async () => {
    const server = await start({ service: { kind: "const", meanNs: 20 * MS } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(server)));
    const timings = answers.map((answer) => serverTiming(answer.headers["server-timing"]));
    expect(new Set(timings.map(({ serviceMs }) => serviceMs))).toEqual(new Set([20]));
    const waits = timings.map(({ waitMs }) => waitMs).sort((a, b) => a - b);
    expect(waits[0]).toBe(0);
    // Arrivals are apart by what the machine made of it; each waits for the one before, 20 ms at most.
    for (let i = 1; i < waits.length; i++) expect(waits[i]! - waits[i - 1]!).toBeLessThanOrEqual(20.001);
  });

  it("takes a request for arrived once all of its body has", async () => {
    const server = await start({ service: { kind: "const", meanNs: 0 } });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
    expect((await ask(server)).status).toBe(200);
    expect(server.stats().counts.arrivals).toBe(1);
    let heard = "";
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
    });
    socket.write("cde");
    await until(() => heard.endsWith("ok\n"));
    socket.destroy();
    expect(server.stats().counts).toMatchObject({ arrivals: 2, completions: 2 });
    expect((await ask(server, "/", { method: "PUT", body: "x".repeat(300_000) })).status).toBe(200);
  });

  it("answers 429 with Retry-After above the limit", async () => {
    const server = await start({ limitPerS: 0.1 });
    expect((await ask(server)).status).toBe(200);
    const refused = await ask(server);
    expect(refused).toMatchObject({ status: 429, body: "rate limit\n" });
    expect(refused.headers["retry-after"]).toBe("10");
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 2, completions: 1, refusedByLimit: 1 });
  });

  it("answers 503 to those who find the queue full", async () => {
    const server = await start({ queueLimit: 1, service: { kind: "const", meanNs: 500 * MS } });
    const answers = await Promise.all([ask(server), ask(server), ask(server), ask(server)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 503, 503]);
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 4, completions: 2, refusedByQueue: 2 });
  });

  it("fails with the status asked for", async () => {
    const server = await start({ failProbability: 1, failStatus: 502 });
    expect(await ask(server)).toMatchObject({ status: 502, body: "502 Bad Gateway\n" });
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 1, completions: 1, failures: 1 });
  });

  it("resets connections", async () => {
    const server = await start({ resetProbability: 1 });
    await expect(ask(server)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 1, resets: 1 });
    expect(server.stats().times.response.n).toBe(1);
  });

  it("makes a request slow by its key, or else by its target", async () => {
    const slow = { slowProbability: 0.5, slowNs: 3 * MS, slowBy: "request" } as const;
    const servers = [await start({ ...slow, seed: 1 }), await start({ ...slow, seed: 2 })];
    const service = async (server: RunningServer, path: string, key?: string) => {
      const answer = await ask(server, path, key === undefined ? {} : { headers: { "x-tailrace-key": key } });
      return serverTiming(answer.headers["server-timing"]).serviceMs;
    };
    const byPath = await Promise.all(
      servers.map((server) => Promise.all(["/0", "/1", "/2", "/3", "/4", "/5"].map((path) => service(server, path)))),
    );
    expect(new Set(byPath[0])).toEqual(new Set([1, 3]));
    expect(byPath[1]).toEqual(byPath[0]);
    // The key stands in for the target.
    const byKey = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => service(servers[0]!, "/same", `/${i}`)));
    expect(byKey).toEqual(byPath[0]);
  });
});

describe("hanging up", () => {
  it("without cancel, work goes on", async () => {
    const server = await start({ service: { kind: "const", meanNs: 300 * MS } });
    await askAndHangUp(server);
    const next = await ask(server);
    expect(serverTiming(next.headers["server-timing"]).waitMs).toBeGreaterThan(0);
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 2, completions: 2, hangups: 1 });
  });

  it("with cancel, the worker is free for the next", async () => {
    const server = await start({ cancel: true, service: { kind: "const", meanNs: 3_600_000 * MS } });
    await askAndHangUp(server);
    await until(() => server.stats().counts.cancelled === 1);
    await askAndHangUp(server);
    await until(() => server.stats().counts.cancelled === 2);
    expect(server.stats().counts).toEqual({ ...NONE, arrivals: 2, cancelled: 2, hangups: 2 });
  });
});

describe("/__tailrace/", () => {
  it("gives the same record as stats(), and does not count itself", async () => {
    const server = await start({ seed: 9 });
    for (let i = 0; i < 10; i++) await ask(server);
    const answer = await ask(server, "/__tailrace/stats");
    expect(answer.headers["content-type"]).toBe("application/json");
    const stats = JSON.parse(answer.body) as ServerStats;
    const { elapsedMs: _, ...own } = server.stats();
    expect(stats).toMatchObject(JSON.parse(JSON.stringify(own)) as object);
    expect(stats).toMatchObject({ schema: "tailrace/server-stats@1", config: { seed: 9 }, waiting: 0 });
    expect(stats.counts).toEqual({ ...NONE, arrivals: 10, completions: 10 });
    expect(stats.times.service.percentiles.map(({ p }) => p)).toEqual([50, 90, 95, 99, 99.9]);
    const service = histogramFromBase64(stats.times.service.histogram);
    expect(service.total).toBe(10);
    expect(service.valueAtPercentile(50)).toBeGreaterThanOrEqual(MS);
    expect(stats.times.lateness.n).toBe(10);
  });

  it("before the first request has no figures rather than zeros", async () => {
    const server = await start();
    expect(server.stats().times.response).toMatchObject({ n: 0, meanMs: null, maxMs: null, percentiles: [] });
  });

  it("reset begins everything anew, so that an experiment repeats", async () => {
    const server = await start({ service: { kind: "exp", meanNs: MS } });
    const services = async () => {
      const found: number[] = [];
      for (let i = 0; i < 10; i++) found.push(serverTiming((await ask(server)).headers["server-timing"]).serviceMs);
      return found;
    };
    const once = await services();
    const reset = await ask(server, "/__tailrace/reset", { method: "POST" });
    expect(JSON.parse(reset.body)).toEqual({ dropped: 0 });
    expect(server.stats().counts).toEqual(NONE);
    expect(await services()).toEqual(once);
    expect(new Set(once).size).toBeGreaterThan(5);
  });

  it("reset drops what is in flight", async () => {
    const server = await start({ service: { kind: "const", meanNs: 3_600_000 * MS } });
    const pending = ask(server);
    const outcome = expect(pending).rejects.toMatchObject({ code: "ECONNRESET" });
    await until(() => server.stats().counts.inFlight === 1);
    expect(server.reset()).toBe(1);
    await outcome;
    expect(server.stats().counts).toEqual(NONE);
  });

  it("says what there is to anything else", async () => {
    const server = await start();
    const answer = await ask(server, "/__tailrace/reset");
    expect(answer.status).toBe(404);
    expect(answer.body).toContain("POST /__tailrace/reset");
    expect(server.stats().counts.arrivals).toBe(0);
  });
});

describe("starting and stopping", () => {
  it("says in one line that the port is taken", async () => {
    const server = await start();
    await expect(startTestServer({ port: server.port })).rejects.toMatchObject({
      name: "ServerStartError",
      code: "EADDRINUSE",
      message: `--port: ${server.port} on 127.0.0.1 is taken by another program; choose another, or --port 0 for any free one`,
    });
  });

  it("says in one line that the host is not one of this machine", async () => {
    await expect(startTestServer({ host: "192.0.2.1" })).rejects.toMatchObject({
      name: "ServerStartError",
      code: "EADDRNOTAVAIL",
      message: expect.stringMatching(/^--host: "192.0.2.1" is not an address of this machine; write [^\n]+$/),
    });
  });

  it("closes with requests in flight", async () => {
    const server = await startTestServer({ service: { kind: "const", meanNs: 3_600_000 * MS } });
    const outcome = expect(ask(server)).rejects.toThrow();
    await until(() => server.stats().counts.inFlight === 1);
    await server.close();
    await outcome;
    await expect(ask(server)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
