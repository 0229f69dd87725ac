import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../src/record/record.js";
import { answer, badServer, type Script } from "../support/bad-server.js";
import { tailrace } from "../support/cli.js";
import { expectWhole, readRecord } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

/** A run that must end well, with a whole record. */
async function ran(url: string, ...words: readonly string[]): Promise<{ readonly record: RunRecord; stdout: string }> {
  const room = new Room();
  const { code, stdout, stderr } = await tailrace(["run", "--quiet", ...words, "--json", room.file("run.json"), url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const record = readRecord(room.file("run.json"));
  expectWhole(record);
  return { record, stdout };
}

const SHORT = ["--rate", "300", "--duration", "1s"];

describe("a server that closes each connection after one answer", () => {
  it("and says so: every request has a new one, and all are answered", async () => {
    const server = await badServer((socket) => socket.end(answer("ok\n", "Connection: close")));
    const { record, stdout } = await ran(server.url, ...SHORT);
    const { scheduled } = record.requests;
    expect(record.requests.ok).toBe(scheduled);
    expect(record.attempts).toMatchObject({ attempts: scheduled, staleRetries: 0, connectionsReused: 0 });
    expect(record.attempts.connectionsClosed).toBe(scheduled);
    expect(server.seen.requests).toBe(scheduled);
    expect(stdout).toContain(`${scheduled} closed in good order`);
  });

  it.each([
    ["elastic", []],
    ["a pool of two", ["--connections", "2"]],
  ])("and does not say so (%s): requests that ran into it go out once more, none is lost", async (_, pool) => {
    const server = await badServer((socket) => socket.end(answer()));
    const { record } = await ran(server.url, ...SHORT, ...pool);
    expect(record.requests.ok).toBe(record.requests.scheduled);
    expect(record.attempts.attempts).toBe(record.requests.sent + record.attempts.staleRetries);
    expect(record.attempts.connectionsLost).toBeGreaterThan(0);
  });
});

/** Answers `answers` requests of a connection, and closes it when the next one comes: as if both had crossed on the way. */
const closesAfter =
  (answers: number, close: "end" | "reset"): Script =>
  (socket, { index }) => {
    if (index < answers) socket.write(answer());
    else if (close === "end") socket.end();
    else socket.resetAndDestroy();
  };

describe("a server that closes idle connections while a request is on its way", () => {
  it.each(["end", "reset"] as const)("has them retried (%s), counted, and none lost", async (how) => {
    const server = await badServer(closesAfter(3, how));
    const { record, stdout } = await ran(server.url, ...SHORT, "--connections", "4");
    const { scheduled, ok, sent } = record.requests;
    expect({ ok, sent }).toEqual({ ok: scheduled, sent: scheduled });
    const { staleRetries, attempts } = record.attempts;
    expect(staleRetries).toBeGreaterThan(0);
    expect(attempts).toBe(sent + staleRetries);
    expect(server.seen.requests).toBe(attempts);
    expect(record.attempts.connectionsLost).toBeGreaterThanOrEqual(staleRetries);
    expect(stdout).toContain(`${staleRetries} stale retries`);
  });

  it("has a POST fail instead, for it may have been carried out", async () => {
    const server = await badServer(closesAfter(3, "end"));
    const { record } = await ran(server.url, ...SHORT, "--connections", "4", "-X", "POST");
    expect(record.attempts.staleRetries).toBe(0);
    expect(record.requests.errors).toBeGreaterThan(0);
    expect(record.outcomes.byError).toEqual({ closed: record.requests.errors });
    expect(server.seen.requests).toBe(record.requests.sent);
  });

  it("is not run into where it announces when", async () => {
    const server = await badServer((socket) => {
      socket.write(answer("ok\n", "Keep-Alive: timeout=1"));
      socket.setTimeout(1500, () => socket.end());
    });
    const { record } = await ran(server.url, "--rate", "2", "--arrivals", "constant", "--duration", "2s");
    expect(record.requests).toMatchObject({ scheduled: 4, ok: 4 });
    expect(record.attempts.staleRetries).toBe(0);
  });
});

describe("1,500 connections wanted in one freeze", () => {
  it("are opened, answered, and none is lost", async () => {
    const server = await serveFast("--stall-every", "1s", "--stall", "500ms");
    const { record } = await ran(`${server.url}/`, "--rate", "3000", "--duration", "2s", "--timeout", "30s");
    const { scheduled, ok, sent } = record.requests;
    expect(scheduled).toBeGreaterThan(5500);
    expect({ ok, sent }).toEqual({ ok: scheduled, sent: scheduled });
    expect((await server.stats()).counts).toMatchObject({ arrivals: scheduled, completions: scheduled, hangups: 0 });
    expect(record.attempts.connectionsOpened).toBeGreaterThan(1000);
    expect(record.attempts.connectFailures).toBe(0);
    expect(record.latency.response?.maxMs).toBeGreaterThan(400);
  });
});
