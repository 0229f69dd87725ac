import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../src/record/record.js";
import { tailrace } from "../support/cli.js";
import { expectWhole, readRecord } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

/** Two real runs of one plan, as `a.json` and `b.json`. */
async function twoRuns(room: Room): Promise<{ readonly a: RunRecord; readonly b: RunRecord; readonly url: string }> {
  const server = await serveFast("--fail-prob", "5%");
  const plan = ["run", "--rate", "200", "--duration", "800ms", "--warmup", "200ms", "--quiet"];
  for (const name of ["a", "b"]) await tailrace([...plan, "--json", room.file(`${name}.json`), `${server.url}/`]);
  return { a: readRecord(room.file("a.json")), b: readRecord(room.file("b.json")), url: server.url };
}

const write = (room: Room, name: string, record: RunRecord) => writeFileSync(room.file(name), JSON.stringify(record));

/** A run's record as if it were of another machine's share of the run `of`. */
const asShare = (record: RunRecord, of: RunRecord): RunRecord => ({
  ...record,
  runId: of.runId,
  startedAt: of.startedAt,
  host: { ...record.host, hostname: "another" },
});

function expectSums(merged: RunRecord, a: RunRecord, b: RunRecord): void {
  expectWhole(merged);
  for (const name of ["scheduled", "ok", "errors", "sent"] as const) {
    expect(merged.requests[name]).toBe(a.requests[name] + b.requests[name]);
    expect(merged.warmup?.[name]).toBe((a.warmup?.[name] ?? 0) + (b.warmup?.[name] ?? 0));
  }
  for (const clock of ["response", "answered", "service", "sendLag"] as const) {
    expect(merged.latency[clock]?.n).toBe((a.latency[clock]?.n ?? 0) + (b.latency[clock]?.n ?? 0));
    expect(merged.latency[clock]?.maxMs).toBe(Math.max(a.latency[clock]?.maxMs ?? 0, b.latency[clock]?.maxMs ?? 0));
  }
}

describe("merge", () => {
  it("sets repetitions of a plan side by side", async () => {
    const room = new Room();
    const { a, b } = await twoRuns(room);
    const words = ["merge", room.file("a.json"), room.file("b.json"), "-o", room.file("both.json")];
    const { code, stdout, stderr } = await tailrace(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const merged = readRecord(room.file("both.json"));
    expectSums(merged, a, b);
    expect(merged.windows).toHaveLength(a.windows.length + b.windows.length);
    expect(merged.ended).toMatchObject({ how: "merged", runs: 2 });
    const summary = (await tailrace(["report", room.file("both.json")])).stdout;
    expect(stdout).toBe(`replications of 2 records merged into ${room.file("both.json")}\n\n${summary}`);
    expect(room.list()).toEqual(["a.json", "b.json", "both.json"]);
  });

  it("adds shares of one run window by window", async () => {
    const room = new Room();
    const { a, b } = await twoRuns(room);
    write(room, "share.json", asShare(b, a));
    const { code, stdout } = await tailrace(["merge", room.file("a.json"), room.file("share.json"), "-o", "-"]);
    expect(code).toBe(0);
    const merged = JSON.parse(stdout) as RunRecord;
    expectSums(merged, a, b);
    expect(merged.runId).toBe(a.runId);
    const widths = new Set([...a.windows, ...b.windows].map(({ widthMs }) => widthMs));
    expect(new Set(merged.windows.map(({ widthMs }) => widthMs))).toEqual(widths);
    for (const window of merged.windows) {
      const parts = [a, b].flatMap(({ windows }) => windows.filter(({ startMs }) => startMs === window.startMs));
      expect(window.requests.scheduled).toBe(parts.reduce((sum, part) => sum + part.requests.scheduled, 0));
    }
  });

  it("refuses what would count twice, or describe nothing, and writes no file", async () => {
    const room = new Room();
    const { a, b, url } = await twoRuns(room);
    write(room, "share.json", asShare(b, a));
    write(room, "again.json", a);
    await tailrace(["run", "--rate", "100", "--duration", "300ms", "--json", room.file("other.json"), `${url}/`]);
    writeFileSync(room.file("broken.json"), JSON.stringify(a).slice(0, 500));
    writeFileSync(room.file("future.json"), JSON.stringify({ ...a, schema: "tailrace/run@9" }));
    writeFileSync(room.file("damaged.json"), JSON.stringify(a).replace("HISTFAAAA", "HISTFBBBB"));
    const before = room.list();
    const refusal = async (...names: string[]) => {
      const words = names.map((name) => room.file(`${name}.json`));
      const { code, stdout, stderr } = await tailrace(["merge", ...words, "-o", room.file("out.json")]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      return stderr;
    };
    expect(await refusal("a", "again")).toContain("is there twice: the same requests would count double");
    expect(await refusal("a", "other")).toMatch(/different plans: .*100.*200|different plans: .*200.*100/);
    expect(await refusal("a", "share", "b")).toContain("mixed; merge the shares of each run first");
    expect(await refusal("a")).toContain("at least two");
    const all = await refusal("a", "absent", "broken", "future", "damaged");
    expect(all).toContain("absent.json cannot be read: there is no such file");
    expect(all).toContain("broken.json cannot be used: it is no JSON");
    expect(all).toContain("future.json cannot be used: it is tailrace/run@9, and this version reads tailrace/run@1");
    expect(all).toContain("damaged.json: a histogram in it cannot be read");
    expect(room.list()).toEqual(before);
  });
});
