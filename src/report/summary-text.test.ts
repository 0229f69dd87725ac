import { Ansis } from "ansis";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Measurement } from "../record/measurement.js";
import {
  type About,
  fates,
  histogramOf,
  measurementOf,
  observed,
  steady,
  type Told,
} from "../record/measurement.testkit.js";
import { merge } from "../record/merge.js";
import type { Percentile } from "../stats/summary.js";
import { conclude } from "../verdict/conclude.js";
import { widthOf } from "./table.js";

/** The room anew, as it is in a process whose terminal has colours, or has none. */
async function inColour(on: boolean) {
  vi.resetModules();
  vi.doMock("ansis", () => ({ default: new Ansis(on ? 1 : 0) }));
  const { summaryText, percentileCell } = await import("./summary-text.js");
  return { summaryText, textOf: (measurement: Measurement) => summaryText(conclude(measurement)), percentileCell };
}

const { summaryText, textOf, percentileCell } = await inColour(false);
const ESCAPE = "\u001b";
const of = (requests: readonly Told[], about: About = {}) => textOf(measurementOf(requests, about));

/** The summary with its broken lines mended. */
const mended = (text: string) => text.replaceAll(/\n +/g, " ");
/** A line of the summary by the word it begins with. */
const line = (text: string, label: string) => text.split("\n").find((one) => one.startsWith(label));

const thousand = steady(1000);

describe("the summary", () => {
  it("of a clean run", () => {
    expect(of(thousand, { flags: { rate: "1000", arrivals: "constant", seed: "7", tag: ["version=1.4"] } })).toBe(
      `GET http://127.0.0.1:8090/  version=1.4
open loop, constant 1,000/s, 1s · timeout 10s · 1 thread, auto · seed 7

requests     1,000 scheduled = 1,000 ok + 0 errors + 0 timeouts + 0 unfinished
rate         1,000/s sent of 1,000/s asked · 100 % of what was due went out in
             time · 995/s answered
answers      1,000 × 200 · 2.9 KB of bodies
connections  2 opened · 0 times reused · 0 lost

        response  answered  service  send lag
n          1,000     1,000    1,000     1,000
p50      5.50 ms   5.50 ms  5.40 ms    100 µs  500 beyond
p75      5.80 ms   5.80 ms  5.70 ms    100 µs  250 beyond
p90      5.90 ms   5.90 ms  5.80 ms    100 µs  100 beyond
p95      6.00 ms   6.00 ms  5.90 ms    100 µs   50 beyond
p99      6.00 ms   6.00 ms  5.90 ms    100 µs   10 beyond
p99.9          –         –        –         –    1 beyond
p99.99         –         –        –         –    0 beyond
max      6.00 ms   6.00 ms  5.90 ms    100 µs
mean     5.50 ms   5.50 ms  5.40 ms    100 µs

– p99.9, p99.99: fewer than ten samples beyond; a longer run can tell.
`,
    );
  });

  it("fits a terminal of 80 columns and has no trailing blanks, whatever happened", () => {
    const anyFlags = fc.constantFrom(
      {},
      { warmup: "250ms", connections: "5", timeout: "0", keepalive: false, tag: ["version=1.4.2-rc1", "night=yes"] },
      { closed: "16", think: "1500us", expectedInterval: "5ms", requests: "1000000", threads: "2" },
    );
    const generator = { ...measurementOf([]).generator, limits: [`${"local ports: none left, ".repeat(9)}at all`] };
    fc.assert(
      fc.property(fates, anyFlags, (requests, flags) => {
        const text = of(requests, {
          flags,
          generator,
          ended: { how: "aborted", reason: "60 % errors over the last 5 s" },
        });
        for (const one of text.split("\n")) {
          expect(widthOf(one)).toBeLessThanOrEqual(80);
          expect(one).toBe(one.trimEnd());
        }
        expect(text).not.toContain(ESCAPE);
        expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      }),
      { numRuns: 50 },
    );
  });

  it("in colour says the same, in the same places", async () => {
    const requests = thousand.map(
      (told, i): Told => (i % 9 === 0 ? { ...told, outcome: i % 2 ? "errors" : "timeouts" } : told),
    );
    const measurement = measurementOf(requests, {
      ended: { how: "interrupted" },
      flags: { closed: "4", tag: ["a=b"] },
    });
    const colourful = (await inColour(true)).textOf(measurement);
    expect(colourful).toContain(ESCAPE);
    expect(
      colourful
        .split(ESCAPE)
        .map((part, i) => (i === 0 ? part : part.replace(/^\[\d+m/, "")))
        .join(""),
    ).toBe(textOf(measurement));
  });
});

describe("the plan's line", () => {
  it.each<readonly [About["flags"], string]>([
    [{}, "open loop, Poisson 50/s, 1s · timeout 10s · 1 thread, auto · seed 4711"],
    [{ rate: "6/h" }, "open loop, Poisson 0.0017/s, 1s · timeout 10s · 1 thread, auto · seed 4711"],
    [{ requests: "10k", duration: "90m" }, "open loop, Poisson 50/s, 10,000 requests or 90m · timeout 10s"],
    [{ closed: "1" }, "closed loop, 1 user, 1s · timeout 10s"],
    [{ closed: "16", think: "1500us" }, "closed loop, 16 users thinking 1500us, 1s"],
    [{ warmup: "0.5s", timeout: "0", connections: "4" }, "1s · warm-up 500ms · 4 connections · no timeout"],
    [{ keepalive: false, threads: "2", pacing: "spin" }, "no keep-alive · timeout 10s · 2 threads, spin"],
  ])("of %j", (flags = {}, text) => {
    expect(of(steady(), { flags }).split("\n").slice(1, 3).join(" ")).toContain(text);
  });

  it("of merged runs says so, with all their seeds", () => {
    const parts = [7, 8, 7].map((seed, i) =>
      measurementOf(steady(), { runId: `run-${i}`, flags: { seed: String(seed) } }),
    );
    const merged = merge(parts);
    if (!merged.ok) throw new Error(merged.problem);
    expect(textOf(merged.measurement).replaceAll("\n", " ")).toContain("seeds 7, 8 · merged from 3 runs");
    const shares = parts.map((part, i) => ({ ...part, runId: "run", wallMs: part.wallMs + i }));
    const whole = merge(shares);
    if (!whole.ok) throw new Error(whole.problem);
    expect(textOf(whole.measurement).replaceAll("\n", " ")).toContain("merged from 3 shares of one run");
  });
});

describe("the ledger", () => {
  const mixed = thousand.map((told, i): Told => {
    if (i % 100 === 0) return { ...told, outcome: "errors", kind: i % 200 === 0 ? "status" : "reset" };
    if (i % 100 === 1) return { ...told, outcome: "timeouts", sentMs: null };
    return i % 100 === 2 ? { ...told, outcome: "unfinished" } : told;
  });
  const text = of(mixed, { flags: { warmup: "100ms" } });

  it("accounts for every request, and for those that never went out", () => {
    expect(line(text, "requests")).toBe("requests     900 scheduled = 873 ok + 9 errors + 9 timeouts + 9 unfinished");
    expect(text).toContain("\n             9 never sent: 9 × timeout\n");
    expect(line(text, "warm-up")).toBe("warm-up      100 more, not in the figures");
  });

  it("splits answers by status and failures by kind, with an example", () => {
    expect(line(text, "answers")).toBe("answers      873 × 200, 4 × 500 · 2.9 KB of bodies");
    expect(line(text, "errors")).toBe("errors       5 reset: the peer reset the connection");
    expect(text).toContain("\n             4 status: an unexpected status\n");
    expect(line(of([]), "answers")).toBe("answers      none · 0 B of bodies");
  });

  it("has the rate asked for and what became of it; of a closed loop what was answered", () => {
    const rate = { targetPerS: 50, achievedPerS: 49.5, answeredPerS: 49.25, sentVsScheduled: 0.99999 };
    expect(mended(of(steady(), { rate }))).toContain(
      "rate         49.5/s sent of 50/s asked · 99.999 % of what was due went out in time · 49.3/s answered\n",
    );
    expect(line(of(steady(), { rate: { ...rate, targetPerS: null } }), "rate")).toBe("rate         49.3/s answered");
  });

  it("has connections, and what befell them where it did", () => {
    const attempts = {
      ...measurementOf([]).attempts,
      connectionsReused: 1234,
      staleRetries: 2,
      connectFailures: 3,
      connectionsClosed: 4,
    };
    expect(mended(of(steady(), { attempts }))).toContain(
      "connections  2 opened · 1,234 times reused · 0 lost · 2 stale retries · 3 failed to open · 4 closed in good order\n",
    );
  });
});

describe("the table of times", () => {
  it("shows a lower bound, a failed percentile and an unknown one as what they are", () => {
    const requests = thousand.map((told, i): Told => {
      if (i >= 985) return { ...told, outcome: "errors" };
      return i >= 940 ? { ...told, outcome: "timeouts", endMs: told.intendedMs + 10_000 } : told;
    });
    const text = of(requests);
    expect(line(text, "p90")).toMatch(/^p90 +6\.00 ms /);
    expect(line(text, "p95")).toMatch(/^p95 +≥ 10\.0 s /);
    expect(line(text, "p99 ")).toMatch(/^p99 +failed +– /);
    const notes = mended(text);
    expect(notes).toContain("≥ reaches requests that timed out or were cut off: the true value is at least this.");
    expect(notes).toContain("response counts every scheduled request, a failed one as endless; answered only the ok.");
    const bound = of(
      thousand.map(
        (told, i): Told => (i >= 980 ? { ...told, outcome: "timeouts", endMs: told.intendedMs + 10_000 } : told),
      ),
    );
    expect(line(bound, "p99 ")).toMatch(/^p99 +≥ 10\.0 s /);
    expect(bound).not.toContain("response counts every");
  });

  it("has no times for a run in which all failed", () => {
    const text = of(steady().map((told): Told => ({ ...told, outcome: "errors" })));
    expect(line(text, "p50")).toMatch(/^p50 +failed +failed/);
    expect(line(text, "max")).toMatch(/^max +– +–$/);
    expect(line(text, "mean")).toMatch(/^mean +– +–$/);
    expect(of([])).toContain("Nothing was answered, so there are no times to show.");
  });

  it("explains the corrected column where there is one", () => {
    const measurement = measurementOf(steady(), { flags: { closed: "4" } });
    const text = textOf({ ...measurement, clocks: { ...measurement.clocks, corrected: observed([5, 6, 7]) } });
    expect(text).toMatch(/response +answered +corrected\* +service +send lag\n/);
    expect(mended(text)).toContain(
      "* an estimate of what a schedule would have seen; its n is not a number of requests.",
    );
  });

  it("calls what took longer than can be kept that", () => {
    const known = histogramOf(steady().map(() => 5));
    known.addOverflow(100);
    const measurement = measurementOf(steady());
    const text = textOf({ ...measurement, clocks: { ...measurement.clocks, response: { ...observed([]), known } } });
    expect(line(text, "p75")).toMatch(/^p75 +> 1 h /);
    expect(line(text, "max")).toMatch(/^max +> 1 h /);
  });

  const base: Percentile = {
    p: 99,
    valueMs: 5.02,
    lowMs: null,
    highMs: null,
    tailCount: 10,
    effectiveN: null,
    status: "known",
  };

  it.each<readonly [Partial<Percentile> | undefined, string]>([
    [{}, "5.02 ms"],
    [{ status: "lower-bound" }, "≥ 5.02 ms"],
    [{ status: "unknown" }, "–"],
    [{ status: "failed", valueMs: null }, "failed"],
    [{ valueMs: Number.MAX_VALUE }, "> 1 h"],
    [{ valueMs: Number.MAX_VALUE, status: "lower-bound" }, "> 1 h"],
    [{ valueMs: 0 }, "0 ns"],
    [undefined, "–"],
  ])("a cell of %j", (percentile, text) => {
    expect(percentileCell(percentile === undefined ? undefined : { ...base, ...percentile })).toBe(text);
  });
});

describe("the findings", () => {
  it("are broken so that they fit, whatever they say", () => {
    const sentence = fc
      .array(fc.string({ unit: "grapheme-ascii", maxLength: 12 }), { minLength: 1, maxLength: 40 })
      .map((words) => words.map((word) => word.replaceAll(" ", "_")).join(" "));
    fc.assert(
      fc.property(sentence, sentence, (message, advice) => {
        const record = conclude(measurementOf(steady()));
        const finding = { code: "code", severity: "warning", message, evidence: {}, advice } as const;
        const text = summaryText({ ...record, verdict: { ...record.verdict, findings: [finding] } });
        const said = text.slice(text.indexOf("! code"));
        for (const one of said.split("\n")) expect(widthOf(one)).toBeLessThanOrEqual(80);
        expect(said.replaceAll(/\s/g, "")).toBe(`! code ${message} ${advice}`.replaceAll(/\s/g, ""));
      }),
    );
  });

  it("stand at the end, each with its sign and what to do", () => {
    const generator = { ...measurementOf([]).generator, limits: ["local ports: none left"] };
    const text = of(steady(), { flags: { closed: "4" }, generator });
    expect(text).toMatch(/\n\n! limits {2}local ports: none left\n {2}Response times have the wait in them; /);
    expect(text).toMatch(/\n· closed-loop {2}closed loop: this is what 4 users .*\n {2}[^ ]/);
    expect(of(steady(), { inFlightMs: 1 })).toMatch(/\n✗ little {2}counts and clocks disagree/);
  });
});
