import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fates, measurementOf, steady } from "../record/measurement.testkit.js";
import { merge } from "../record/merge.js";
import type { RunRecord } from "../record/record.js";
import { conclude } from "../verdict/conclude.js";
import { readRun, reopenRun } from "./read-run.js";
import { runJsonSchema } from "./schema.js";
import { writeRun } from "./write-run.js";

const record = conclude(measurementOf(steady()));

/** The record as JSON with one field, named as in messages, set to something else; `undefined` takes it away. */
function tampered(path: string, value: unknown): string {
  const json = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
  const names = path.split(".");
  let at = json;
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[names.at(-1)!] = value;
  return JSON.stringify(json);
}

function problemOf(text: string): string {
  const read = readRun(text);
  return read.ok ? "read" : read.problem;
}

describe("a record's file", () => {
  it("is read back as it was written, whatever happened in the run", () => {
    const anyEnding = fc.constantFrom<RunRecord["ended"]>(
      { how: "completed" },
      { how: "interrupted" },
      { how: "aborted", reason: "60 % errors" },
      { how: "worker-lost", reason: "exit 1" },
    );
    const anyFlags = fc.constantFrom(
      {},
      { warmup: "250ms", tag: ["a=b"], header: ["Cookie: c"], abortOn: ["errors>5%"], resolve: ["a:80:127.0.0.1"] },
      { closed: "3", think: "1ms", expectedInterval: "5ms", ipv4: true, user: "me:pw", cert: "C", key: "K" },
      { requests: "100", connections: "5", timeout: "0", unixSocket: "/run/app.sock", keepalive: false },
    );
    fc.assert(
      fc.property(fates, anyEnding, anyFlags, (requests, ended, flags) => {
        const written = conclude(measurementOf(requests, { ended, flags }));
        expect(readRun(writeRun(written))).toEqual({ ok: true, value: written });
      }),
      { numRuns: 40 },
    );
  });

  it("of merged runs too", () => {
    const [a, b] = ["a", "b"].map((runId) => measurementOf(steady(), { runId }));
    const merged = merge([a!, b!]);
    if (!merged.ok) throw new Error(merged.problem);
    const written = conclude(merged.measurement);
    expect(readRun(writeRun(written))).toEqual({ ok: true, value: written });
  });

  it("is indented and ends with a line's end, for people and diffs", () => {
    expect(writeRun(record)).toMatch(/^\{\n "schema": "tailrace\/run@1",\n "runId": "run-a",\n[\s\S]*\n\}\n$/);
  });

  it("may have more in it than is known here: it is kept", () => {
    const text = tampered("plan.later", { ramp: 1 });
    expect(readRun(text)).toMatchObject({ ok: true, value: { plan: { later: { ramp: 1 } } } });
  });
});

describe("a file that is no record", () => {
  it.each([
    ["", /^it is empty$/],
    [" \n", /^it is empty$/],
    ["{", /^it is no JSON: /],
    ["null", /^it is no tailrace record: "schema" should be "tailrace\/run@1"$/],
    ["5", /^it is no tailrace record/],
    ["[]", /^it is no tailrace record/],
    ["{}", /^it is no tailrace record/],
    ['{"schema":"other/run@1"}', /^it is no tailrace record/],
    ['{"schema":7}', /^it is no tailrace record/],
    ['{"schema":"tailrace/run@2"}', /^it is tailrace\/run@2, and this version reads tailrace\/run@1$/],
    ['{"schema":"tailrace/run@1"}', /^its field runId is wrong: /],
  ])("%j is refused, and why", (text, problem) => {
    expect(problemOf(text)).toMatch(problem);
  });

  it.each<readonly [string, unknown]>([
    ["runId", 7],
    ["plan", undefined],
    ["plan.request.url", null],
    ["plan.request.headers", [["only a name"]]],
    ["plan.request.family", 5],
    ["plan.load.kind", "ajar"],
    ["plan.load.ratePerS", 0],
    ["plan.warmupMs", -1],
    ["plan.threads", 1.5],
    ["plan.pacing", "fast"],
    ["plan.abortOn", undefined],
    ["host.cores", "two"],
    ["host.runtime", undefined],
    ["startedAt", "yesterday"],
    ["wallMs", -1],
    ["wallMs", null],
    ["ended.how", "well"],
    ["requests.scheduled", -1],
    ["requests.ok", 1.5],
    ["requests.unsentBy", undefined],
    ["warmup", undefined],
    ["attempts.connectionsReused", undefined],
    ["attempts.staleRetries", "none"],
    ["rate.achievedPerS", null],
    ["inFlightMs", undefined],
    ["latency.alone", undefined],
    ["latency.response.n", null],
    ["latency.response.histogram", 7],
    ["latency.response.percentiles.4.status", "guessed"],
    ["latency.response.percentiles.0.p", 101],
    ["outcomes.byStatus.200", -1],
    ["windows.3.widthMs", 0],
    ["windows.3.requests.sent", "all"],
    ["windows.3.inFlight.atEnd", undefined],
    ["generator.limits", "none"],
    ["generator.pauses.maxMs", undefined],
    ["verdict.status", "fine"],
    ["verdict.checks.0.passed", "maybe"],
  ])("names the field: %s as %j", (path, value) => {
    expect(problemOf(tampered(path, value))).toMatch(
      new RegExp(`^its field ${path.replaceAll(".", "\\.")}[\\d.]* is wrong: .`),
    );
  });

  it("has no histogram that cannot be read", () => {
    const read = readRun(tampered("windows.2.service.histogram", "HISTFBBBB"));
    if (!read.ok) throw new Error(read.problem);
    expect(reopenRun(read.value)).toEqual({
      ok: false,
      problem: expect.stringMatching(/^a histogram in it cannot be read: ./) as string,
    });
    expect(reopenRun(record)).toMatchObject({ ok: true, value: { runId: "run-a" } });
  });
});

describe("the JSON Schema", () => {
  const schema = runJsonSchema() as {
    readonly $schema: string;
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
  };

  it("is of the 2020-12 draft, and plain JSON", () => {
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it("asks for every field a record has, and knows no other", () => {
    expect(schema.required.toSorted()).toEqual(Object.keys(record).toSorted());
    expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(record).toSorted());
    expect(schema.properties.schema).toMatchObject({ const: "tailrace/run@1" });
  });
});
