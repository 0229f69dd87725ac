import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../src/record/record.js";
import { answer, badServer, type Script } from "../support/bad-server.js";
import { tailrace } from "../support/cli.js";
import { expectWhole, percentile, readRecord } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly record: RunRecord;
}

/** A short run whose record must be whole. */
async function ran(url: string, ...words: readonly string[]): Promise<Ran> {
  const room = new Room();
  const plan = words.includes("--requests") ? [] : ["--rate", "200", "--duration", "1s"];
  const finished = await tailrace(["run", ...plan, ...words, "--json", room.file("run.json"), url]);
  const record = readRecord(room.file("run.json"));
  expectWhole(record);
  return { ...finished, record };
}

/** Every answer is `text`, and then the server is done with the connection. */
const thenEnd =
  (text: string): Script =>
  (socket) =>
    socket.end(text);

describe("resets", () => {
  it("are errors, or are retried once where the connection was a used one, and the server's count fits", async () => {
    const server = await serveFast("--reset-prob", "30%");
    const { code, stdout, record } = await ran(`${server.url}/`, "--rate", "400", "--duration", "1s");
    const { ok, errors, sent } = record.requests;
    expect({ code, ok: ok + errors }).toEqual({ code: 0, ok: record.requests.scheduled });
    expect(record.outcomes.byError.reset).toBeGreaterThan(0);
    expect(record.attempts.staleRetries).toBeGreaterThan(0);
    expect(record.attempts.attempts).toBe(sent + record.attempts.staleRetries);
    const { arrivals, resets, completions } = (await server.stats()).counts;
    expect(arrivals).toBe(record.attempts.attempts);
    expect(completions).toBe(ok);
    expect(resets).toBe(errors + record.attempts.staleRetries);
    expect(stdout).toMatch(/errors +\d+ reset: the peer reset the connection/);
    expect(stdout).toMatch(/\d+ stale retries/);
  });

  it("are never retried for a POST, which may have been carried out", async () => {
    const server = await serveFast("--reset-prob", "30%");
    const { record } = await ran(`${server.url}/`, "-d", "order");
    expect(record.attempts.staleRetries).toBe(0);
    expect((await server.stats()).counts.arrivals).toBe(record.requests.sent);
    expect(record.outcomes.byError.reset).toBe((await server.stats()).counts.resets);
  });
});

describe("answers that are none", () => {
  const cases: readonly (readonly [what: string, script: Script, kind: string, detail: RegExp])[] = [
    [
      "half-closed in the middle of a body",
      thenEnd("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"),
      "closed",
      /the peer closed .*9 of 100/,
    ],
    [
      "half-closed in the middle of a chunk",
      thenEnd("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nonly this"),
      "closed",
      /the peer closed/,
    ],
    ["half-closed in the head", thenEnd("HTTP/1.1 200 OK\r\nContent-Le"), "closed", /the peer closed/],
    ["half-closed before a byte", thenEnd(""), "closed", /the peer closed/],
    ["of another protocol", thenEnd("SSH-2.0-OpenSSH_9.2\r\n"), "protocol", /./],
    ["random bytes", thenEnd("\u0000\u00ff\u0016\u0003\u0001garbage\r\n\r\n"), "protocol", /./],
    ["longer than they said", (socket) => socket.write(`${answer()}HTTP/1.1 200`), "protocol", /bytes too many/],
    [
      "with a head that never ends",
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(20_000)}`),
      "protocol",
      /./,
    ],
  ];

  it.each(cases)("%s: each request is an error of its kind, and says what came", async (_, script, kind, detail) => {
    const server = await badServer(script);
    const { code, stdout, record } = await ran(server.url, "--requests", "20", "--rate", "100");
    expect(code).toBe(0);
    expect(record.requests).toMatchObject({ scheduled: 20, ok: 0, errors: 20, sent: 20 });
    expect(record.outcomes.byError).toEqual({ [kind]: 20 });
    expect(record.outcomes.details[kind]).toMatch(detail);
    expect(stdout).toContain(`20 ${kind}: ${record.outcomes.details[kind]?.split(" ")[0]}`);
    expect(record.attempts.connectionsLost).toBe(20);
    expect(percentile(record, "response", 50)).toMatchObject({ status: "failed", valueMs: null });
    expect(stdout).toMatch(/^p50 +failed/m);
  });

  it("given to nobody, before there was a request, cost a connection and no request", async () => {
    const greet = (socket: Socket) => setTimeout(() => socket.write("220 mail.example ESMTP\r\n"), 20);
    const server = await badServer((socket) => socket.write(answer()), { onConnection: greet });
    const { code, record } = await ran(server.url, "--requests", "20", "--rate", "20");
    expect(code).toBe(0);
    expect(record.requests.ok + record.requests.errors).toBe(20);
    expect(record.attempts.connectionsLost).toBeGreaterThan(0);
  });
});

describe("no answer", () => {
  it("is a timeout from the intended time, known only as a lower bound", async () => {
    const server = await badServer(() => {});
    const { code, stdout, record } = await ran(server.url, "--timeout", "300ms");
    expect(code).toBe(0);
    const { scheduled, timeouts } = record.requests;
    expect(timeouts).toBe(scheduled);
    const p50 = percentile(record, "response", 50);
    expect(p50.status).toBe("lower-bound");
    expect(p50.valueMs).toBeGreaterThanOrEqual(300);
    expect(stdout).toMatch(/^p50 +≥ \d/m);
    expect(stdout).toContain("≥ reaches requests that timed out");
    await expect.poll(() => server.seen.requests).toBe(record.requests.sent);
  });

  it("of a few leaves the others' percentiles known", async () => {
    const server = await badServer((socket, { total }) => {
      if (total % 20 !== 19) socket.write(answer());
    });
    const { stdout, record } = await ran(server.url, "--timeout", "1s", "--rate", "400");
    const { scheduled, ok, timeouts } = record.requests;
    expect(ok + timeouts).toBe(scheduled);
    expect(timeouts).toBeGreaterThanOrEqual(Math.floor(server.seen.requests / 20));
    expect(percentile(record, "response", 50).status).toBe("known");
    expect(percentile(record, "answered", 90).status).toBe("known");
    expect(stdout).toContain(`${timeouts} timeouts`);
  });

  it("in a pool leaves the rest waiting: they time out unsent, and have no service time", async () => {
    const server = await badServer(() => {});
    const { stdout, record } = await ran(server.url, "--timeout", "300ms", "--connections", "2");
    const { scheduled, timeouts, unsent, unsentBy } = record.requests;
    expect(timeouts).toBe(scheduled);
    expect(unsent).toBeGreaterThan(0);
    expect(unsentBy).toEqual({ timeout: unsent });
    expect(stdout).toContain(`${unsent} never sent: ${unsent} × timeout`);
  });

  it("but a byte now and then is a timeout too", async () => {
    const timers = new Set<NodeJS.Timeout>();
    const server = await badServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("."), 50);
      timers.add(timer);
      socket.on("close", () => clearInterval(timer));
    });
    const { record } = await ran(server.url, "--requests", "10", "--rate", "50", "--timeout", "300ms");
    expect(record.requests).toMatchObject({ scheduled: 10, timeouts: 10 });
    for (const timer of timers) clearInterval(timer);
  });
});

describe("an answer of a gigabyte", () => {
  it("is counted, not kept", async () => {
    const size = 2 ** 30;
    const block = Buffer.alloc(2 ** 20, "x");
    const server = await badServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      let left = size;
      const more = () => {
        while (left > 0 && !socket.destroyed) {
          left -= block.length;
          if (!socket.write(block)) {
            socket.once("drain", more);
            return;
          }
        }
      };
      more();
    });
    const { code, stdout, record } = await ran(server.url, "--requests", "1", "--timeout", "50s");
    expect(code).toBe(0);
    expect(record.requests.ok).toBe(1);
    expect(record.outcomes.bodyBytes).toBe(size);
    expect(record.generator.maxRssBytes).toBeLessThan(250e6);
    expect(stdout).toContain("of bodies");
  });
});
