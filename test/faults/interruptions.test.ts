import { describe, expect, it } from "vitest";
import { badServer } from "../support/bad-server.js";
import { startTailrace, until } from "../support/cli.js";
import { expectWhole, percentile, readRecord } from "../support/record.js";
import { Room } from "../support/room.js";
import { serve } from "../support/serve.js";

/** Far longer than any test: it ends because it is told to. */
const LONG = ["--rate", "100", "--duration", "10m"];

describe("Ctrl-C", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("once (%s) cuts the schedule and waits for what is out", async (signal) => {
    const server = await serve("--workers", "0", "--dist", "const", "--service", "300ms");
    const room = new Room();
    const run = startTailrace(["run", ...LONG, "--threads", "2", "--json", room.file("run.json"), `${server.url}/`]);
    await until(async () => (await server.stats()).counts.arrivals > 50, "50 requests");
    run.child.kill(signal);
    const { code, stdout, stderr } = await run.finished;
    expect(code).toBe(130);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.ended).toEqual({ how: "interrupted" });
    const { scheduled, ok, unfinished } = record.requests;
    expect({ ok, unfinished }).toEqual({ ok: scheduled, unfinished: 0 });
    expect((await server.stats()).counts).toMatchObject({ arrivals: scheduled, completions: scheduled, hangups: 0 });
    expect(stderr).toContain("Ending the schedule, waiting for what is out. Again to end at once.");
    expect(stdout).toContain(`${scheduled} scheduled = ${ok} ok`);
    expect(stdout).toMatch(/interrupted after \d+\.\d s/);
    expect(record.plan.durationMs).toBe(600_000);
    // The rate is that of the schedule as it was cut, not of ten minutes.
    expect(record.rate.achievedPerS).toBeGreaterThan(50);
  });

  it("twice ends at once; what is out is unfinished, and known as a lower bound", async () => {
    const silent = await badServer(() => {});
    const room = new Room();
    const words = ["run", ...LONG, "--timeout", "0s", "--json", room.file("run.json"), silent.url];
    const run = startTailrace(words);
    await until(() => silent.seen.requests > 50, "50 requests");
    run.child.kill("SIGINT");
    await until(() => run.output.stderr.includes("waiting for what is out"), "the first signal's echo");
    run.child.kill("SIGINT");
    const { code, stdout, stderr } = await run.finished;
    expect(code).toBe(130);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.ended).toEqual({ how: "interrupted" });
    expect(record.requests.unfinished).toBe(record.requests.scheduled);
    expect(record.requests.sent).toBe(silent.seen.requests);
    expect(percentile(record, "response", 50).status).toBe("lower-bound");
    expect(stderr).toContain("Ending now.");
    expect(stdout).toMatch(/^p50 +≥ /m);
    expect(stdout).toContain(`${record.requests.unfinished} requests were still out`);
  });

  it("before there is a connection ends at once, and leaves no file", async () => {
    const silent = await badServer(() => {});
    const room = new Room();
    const words = ["run", "--json", room.file("run.json"), `https://127.0.0.1:${silent.port}/`];
    const run = startTailrace(words);
    await until(() => silent.seen.connections > 0, "a connection");
    run.child.kill("SIGINT");
    const { code, stdout, stderr } = await run.finished;
    expect({ code, stdout, files: room.list() }).toEqual({ code: 130, stdout: "", files: [] });
    expect(stderr).toContain("stopped before a connection was open\nNothing was sent.");
  });
});
