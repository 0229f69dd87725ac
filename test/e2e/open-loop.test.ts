import { describe, expect, it } from "vitest";
import { tailrace } from "../support/cli.js";
import { expectWhole, percentile, readRecord, readSamples } from "../support/record.js";
import { Room } from "../support/room.js";
import { serve, serveFast } from "../support/serve.js";

describe("an open loop against the tail server", () => {
  it("accounts for every request, agrees with the server's own count, and prints what it recorded", async () => {
    const server = await serve("--workers", "0", "--dist", "const", "--service", "5ms");
    const room = new Room();
    const words = [
      "run",
      "--rate",
      "200",
      "--duration",
      "2s",
      "--seed",
      "3",
      "--quiet",
      "--json",
      room.file("run.json"),
    ];
    const { code, stdout, stderr } = await tailrace([...words, `${server.url}/`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    const { scheduled, ok, sent } = record.requests;
    // 400 expected; a Poisson count lies within 6 standard deviations.
    expect(Math.abs(scheduled - 400)).toBeLessThan(120);
    expect({ ok, sent }).toEqual({ ok: scheduled, sent: scheduled });
    expect((await server.stats()).counts).toMatchObject({ arrivals: sent, completions: sent, hangups: 0 });
    expect(record.ended).toEqual({ how: "completed" });
    expect(percentile(record, "service", 50).valueMs).toBeGreaterThanOrEqual(5);
    expect(percentile(record, "response", 50).valueMs).toBeGreaterThanOrEqual(5);
    expect(record.outcomes.bodyBytes).toBe(3 * ok);
    expect(stdout).toContain(`${scheduled} scheduled = ${ok} ok + 0 errors + 0 timeouts + 0 unfinished`);
    expect(stdout).toContain("seed 3");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(room.list()).toEqual(["run.json"]);
  });

  it.each(["poisson", "constant"])("sends the same %s schedule from two threads as from one", async (arrivals) => {
    const server = await serveFast();
    const room = new Room();
    const plan = ["run", "--rate", "500", "--duration", "1s", "--seed", "7", "--arrivals", arrivals];
    const [one, two] = await Promise.all(
      ["1", "2"].map(async (threads) => {
        const files = ["--json", room.file(`${threads}.json`), "--samples", room.file(`${threads}.csv`)];
        await tailrace([...plan, "--threads", threads, ...files, `${server.url}/`]);
        const record = readRecord(room.file(`${threads}.json`));
        expectWhole(record);
        const samples = readSamples(room.read(`${threads}.csv`));
        expect(samples).toHaveLength(record.requests.scheduled);
        const intended = samples.map(({ arrival, intended_ms }) => [Number(arrival), intended_ms] as const);
        return { record, intended: intended.toSorted(([a], [b]) => a - b) };
      }),
    );
    expect(two!.intended).toEqual(one!.intended);
    expect(two!.intended.map(([arrival]) => arrival)).toEqual(two!.intended.map((_, i) => i));
    const sent = one!.record.requests.sent + two!.record.requests.sent;
    expect((await server.stats()).counts.arrivals).toBe(sent);
    if (arrivals === "constant") {
      expect(two!.intended).toHaveLength(500);
      const gaps = two!.intended.slice(1).map(([, ms], i) => Number(ms) - Number(two!.intended[i]![1]));
      for (const gap of gaps) expect(gap).toBeCloseTo(2, 5);
    }
  });

  it("keeps the warm-up in the record and out of the figures", async () => {
    const server = await serveFast();
    const room = new Room();
    const files = ["--json", room.file("run.json"), "--samples", room.file("run.csv")];
    const words = ["run", "--rate", "300", "--duration", "1500ms", "--warmup", "500ms", "--threads", "2", ...files];
    const { stdout } = await tailrace([...words, `${server.url}/`]);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    const intended = readSamples(room.read("run.csv")).map(({ intended_ms }) => Number(intended_ms));
    expect(record.warmup?.scheduled).toBe(intended.filter((ms) => ms < 500).length);
    expect(record.requests.scheduled).toBe(intended.filter((ms) => ms >= 500).length);
    expect(record.warmup?.scheduled).toBeGreaterThan(0);
    expect((await server.stats()).counts.arrivals).toBe(record.requests.sent + (record.warmup?.sent ?? 0));
    for (const window of record.windows) expect(window.warmup).toBe(window.startMs < 500);
    expect(stdout).toContain(`${record.warmup?.scheduled} more, not in the figures`);
  });

  it.each(["1", "3"])("schedules exactly --requests on %s threads", async (threads) => {
    const server = await serveFast();
    const room = new Room();
    const words = ["run", "--rate", "500", "--requests", "250", "--threads", threads, "--json", room.file("run.json")];
    expect((await tailrace([...words, `${server.url}/`])).code).toBe(0);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.requests).toMatchObject({ scheduled: 250, ok: 250 });
    expect((await server.stats()).counts.arrivals).toBe(250);
  });

  it("lets requests wait for one of --connections, and counts the wait as the user's", async () => {
    // 4 connections at 20 ms each carry 200/s; 300/s are due.
    const server = await serve("--workers", "0", "--dist", "const", "--service", "20ms");
    const room = new Room();
    const words = ["run", "--rate", "300", "--duration", "1s", "--connections", "4", "--json", room.file("run.json")];
    const { stdout } = await tailrace([...words, `${server.url}/`]);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(record.attempts.connectionsOpened).toBe(4);
    expect(record.requests.ok).toBe(record.requests.scheduled);
    const [response, service] = [percentile(record, "response", 90), percentile(record, "service", 90)];
    expect(response.valueMs).toBeGreaterThan(service.valueMs ?? Number.NaN);
    expect(record.latency.queue?.maxMs).toBeGreaterThan(20);
    expect(record.verdict.findings.map(({ code }) => code)).toContain("client-queueing");
    expect(stdout).toContain("the pool of 4 connections");
  });

  it("opens a connection a request with --no-keepalive", async () => {
    const server = await serveFast();
    const room = new Room();
    const words = ["run", "--rate", "200", "--duration", "1s", "--no-keepalive", "--json", room.file("run.json")];
    await tailrace([...words, `${server.url}/`]);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    const { sent, ok, scheduled } = record.requests;
    expect(ok).toBe(scheduled);
    expect(record.attempts).toMatchObject({ attempts: sent, connectionsReused: 0, connectionsClosed: sent });
    expect(record.attempts.connectionsOpened).toBeGreaterThanOrEqual(sent);
    expect((await server.stats()).counts.arrivals).toBe(sent);
  });

  it("counts an unexpected status as an error, and an expected one as ok", async () => {
    const server = await serveFast("--fail-prob", "100%", "--fail-status", "503");
    const room = new Room();
    const run = async (name: string, ...words: string[]) => {
      const { code } = await tailrace([
        "run",
        "--rate",
        "200",
        "--duration",
        "500ms",
        "--json",
        room.file(name),
        ...words,
        `${server.url}/`,
      ]);
      const record = readRecord(room.file(name));
      expectWhole(record);
      return { code, record };
    };
    const plain = await run("plain.json");
    expect(plain.record.requests.errors).toBe(plain.record.requests.scheduled);
    expect(plain.record.outcomes.byError).toEqual({ status: plain.record.requests.errors });
    expect(plain.record.outcomes.byStatus).toEqual({ 503: plain.record.requests.errors });
    const expecting = await run("expecting.json", "--expect-status", "2xx,503");
    expect(expecting.record.requests.ok).toBe(expecting.record.requests.scheduled);
    expect([plain.code, expecting.code]).toEqual([0, 0]);
  });

  it("ends early on --abort-on, exit 1, and says so", async () => {
    const server = await serveFast("--fail-prob", "100%");
    const room = new Room();
    const words = ["run", "--rate", "200", "--duration", "60s", "--abort-on", "errors>50%"];
    const { code, stdout } = await tailrace([...words, "--json", room.file("run.json"), `${server.url}/`]);
    const record = readRecord(room.file("run.json"));
    expectWhole(record);
    expect(code).toBe(1);
    expect(record.ended).toEqual({ how: "aborted", reason: expect.stringMatching(/^100 % errors .*more than 50 %$/) });
    expect(record.wallMs).toBeLessThan(30_000);
    expect(stdout).toMatch(/aborted after .*100 % errors/s);
  });

  it("tells how it is doing every few seconds, but not with --quiet", async () => {
    const server = await serveFast();
    const words = ["run", "--rate", "20", "--duration", "5500ms", `${server.url}/`];
    const [loud, quiet] = await Promise.all([tailrace(words), tailrace([...words, "--quiet"])]);
    expect(loud.stderr).toMatch(/^5s\/5s · \d+ sent · .* of 20\/s · \d+ in flight/m);
    expect(quiet.stderr).toBe("");
    expect(quiet.stdout).toContain("scheduled =");
  });
});
