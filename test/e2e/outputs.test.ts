import { describe, expect, it } from "vitest";
import { formatHgrm, histogramFromBase64, readHlog, SparseHistogram } from "../../src/hdr/index.js";
import { shell, tailrace } from "../support/cli.js";
import { expectWhole, readRecord, readSamples, recordOf } from "../support/record.js";
import { Room } from "../support/room.js";
import { serveFast } from "../support/serve.js";

const SHORT = ["--rate", "200", "--duration", "1s", "--quiet"];

describe("what a run writes", () => {
  it("keeps standard output clean for --json -", async () => {
    const server = await serveFast();
    const { code, stdout, stderr } = await tailrace(["run", ...SHORT, "--json", "-", `${server.url}/`]);
    expect(code).toBe(0);
    expectWhole(recordOf(stdout));
    expect(stderr).toContain("scheduled =");
    const again = await tailrace(["report", "-"], { input: stdout });
    expect(again.stdout).toBe(stderr);
  });

  it("has the same summary printed by report, byte for byte", async () => {
    const server = await serveFast("--fail-prob", "5%");
    const room = new Room();
    const words = [...SHORT, "--tag", "build=41", "--tag", "note=a b", "--warmup", "200ms"];
    const first = await tailrace(["run", ...words, "--json", room.file("run.json"), `${server.url}/`]);
    const again = await tailrace(["report", room.file("run.json")]);
    expect(again).toEqual({ code: 0, signal: null, stdout: first.stdout, stderr: "" });
    expect(readRecord(room.file("run.json")).plan.tags).toEqual({ build: "41", note: "a b" });
    expect(first.stdout).toContain("build=41 note=a b");
  });

  it("writes windows, distribution and samples that say the same as the record", async () => {
    const server = await serveFast("--fail-prob", "10%");
    const room = new Room();
    const files = (["json", "hlog", "hgrm", "samples"] as const).flatMap((kind) => [`--${kind}`, room.file(kind)]);
    await tailrace(["run", ...SHORT, "--warmup", "200ms", "--threads", "2", ...files, `${server.url}/?a=1`]);
    expect(room.list()).toEqual(["hgrm", "hlog", "json", "samples"]);
    const record = readRecord(room.file("json"));
    expectWhole(record);
    const whole = histogramFromBase64(record.latency.response!.histogram);

    const log = readHlog(room.read("hlog"));
    expect(log.problems).toEqual([]);
    expect(log.startTime).toBeCloseTo(Date.parse(record.startedAt) / 1000, 3);
    expect(log.intervals.map(({ startSeconds }) => Math.round(startSeconds * 1000))).toEqual(
      record.windows.map(({ startMs }) => startMs),
    );
    const sum = (warm: boolean) => {
      const total = new SparseHistogram();
      for (const interval of log.intervals) if ((interval.tag === "warmup") === warm) total.add(interval.histogram());
      return total;
    };
    expect(formatHgrm(sum(false))).toBe(formatHgrm(whole));
    expect(sum(true).total).toBe(record.warmup?.ok);
    expect(room.read("hgrm")).toBe(formatHgrm(whole));

    const samples = readSamples(room.read("samples"));
    expect(samples).toHaveLength(record.requests.scheduled + (record.warmup?.scheduled ?? 0));
    const measured = samples.filter(({ intended_ms }) => Number(intended_ms) >= 200);
    expect(measured.filter(({ outcome }) => outcome === "ok")).toHaveLength(record.requests.ok);
    expect(measured.filter(({ outcome }) => outcome === "error")).toHaveLength(record.requests.errors);
    const responses = measured.flatMap(({ outcome, response_ms }) => (outcome === "ok" ? [Number(response_ms)] : []));
    // The histogram keeps three digits.
    expect(Math.max(...responses) / (whole.max / 1e6)).toBeCloseTo(1, 2);
    expect(Math.min(...responses) / (whole.min / 1e6)).toBeCloseTo(1, 2);
    for (const { intended_ms, sent_ms, first_byte_ms, done_ms } of samples) {
      const steps = [intended_ms, sent_ms, first_byte_ms, done_ms].map(Number);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    }
  });

  it("ends quietly when its reader has gone", async () => {
    const server = await serveFast();
    const room = new Room();
    const line = `"$NODE" "$TAILRACE" run --rate 100 --duration 500ms --json run.json ${server.url}/ | head -1`;
    const { code, stdout, stderr } = await shell(line, { cwd: room.path });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `GET ${server.url}/\n`, stderr: "" });
    expectWhole(readRecord(room.file("run.json")));
    const json = await shell(`"$NODE" "$TAILRACE" run --requests 20 --rate 100 --json - ${server.url}/ | head -c 1`);
    expect(json.stdout).toBe("{");
    expect(json.stderr).toContain("scheduled =");
    expect(json.stderr).not.toContain("EPIPE");
  });

  it("replaces an older file, follows a link to it, and leaves its other files alone", async () => {
    const server = await serveFast();
    const room = new Room();
    const line = `echo old > run.json; ln -s run.json link.json; "$NODE" "$TAILRACE" run --requests 5 --json link.json ${server.url}/`;
    expect((await shell(line, { cwd: room.path })).code).toBe(0);
    expectWhole(readRecord(room.file("run.json")));
    expect((await shell("test -L link.json", { cwd: room.path })).code).toBe(0);
    expect(room.list()).toEqual(["link.json", "run.json"]);
  });
});
