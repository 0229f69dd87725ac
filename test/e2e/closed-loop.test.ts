import { describe, expect, it } from "vitest";
import { tailrace } from "../support/cli.js";
import { expectWhole, percentile, readRecord, readSamples } from "../support/record.js";
import { Room } from "../support/room.js";
import { serve, serveFast } from "../support/serve.js";

describe("a closed loop", () => {
  it("has each user wait for the answer, and estimates beside it what a schedule would have seen", async () => {
    // 4 users at one worker of 10 ms: each waits about 40 ms where 10 ms were expected, so corrections are many.
    const server = await serve("--dist", "const", "--service", "10ms");
    const room = new Room();
    const loop = ["--closed", "4", "--duration", "1s", "--expected-interval", "10ms"];
    const { code, stdout } = await tailrace(["run", ...loop, "--json", room.file("run.json"), `${server.url}/`]);
    expect(code).toBe(0);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.attempts.connectionsOpened).toBe(4);
    expect(record.rate.targetPerS).toBeNull();
    expect(record.latency.corrected?.n).toBeGreaterThan(record.requests.ok);
    expect(percentile(record, "service", 50).valueMs).toBeGreaterThanOrEqual(10);
    expect((await server.stats()).counts.arrivals).toBe(record.requests.sent);
    expect(stdout).toContain("closed loop, 4 users");
    expect(stdout).toContain("corrected*");
    expect(record.verdict.findings.map(({ code }) => code)).toContain("closed-loop");
  });

  it("never has more requests out than users, and means a request when its user is ready", async () => {
    const server = await serveFast();
    const room = new Room();
    const files = ["--json", room.file("run.json"), "--samples", room.file("run.csv")];
    const loop = ["--closed", "3", "--threads", "2", "--requests", "100", "--think", "5ms"];
    expect((await tailrace(["run", ...loop, ...files, `${server.url}/`])).code).toBe(0);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.requests).toMatchObject({ scheduled: 100, ok: 100, sent: 100 });
    const edges = readSamples(room.read("run.csv")).flatMap(({ intended_ms, done_ms }) => [
      [Number(intended_ms), 1] as const,
      [Number(done_ms), -1] as const,
    ]);
    let out = 0;
    for (const [, change] of edges.toSorted(([a, up], [b, down]) => a - b || up - down)) {
      out += change;
      expect(out).toBeLessThanOrEqual(3);
    }
  });
});
