import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../hdr/hdr.testkit.js";
import { type Observations, percentileOf } from "../stats/summary.js";
import { conclude } from "../verdict/conclude.js";
import type { Measurement } from "./measurement.js";
import { type About, fates, measurementOf, steady, type Told } from "./measurement.testkit.js";
import { merge } from "./merge.js";
import type { RunRecord } from "./record.js";
import { reopen } from "./summarise.js";

/** As it would be read from a file. */
const reread = (measurement: Measurement) => reopen(JSON.parse(JSON.stringify(conclude(measurement))) as RunRecord);

function merged(parts: readonly Measurement[]): Measurement {
  const result = merge(parts);
  if (!result.ok) throw new Error(result.problem);
  return reread(result.measurement);
}

function problemOf(...parts: readonly Measurement[]): string {
  const result = merge(parts);
  return result.ok ? `merged as ${result.how}` : result.problem;
}

/** The part of a run that falls to one of several machines. */
function shareOf(requests: readonly Told[], index: number, of: number, about: About = {}): Measurement {
  const mine = requests.filter((_, i) => i % of === index);
  const share = measurementOf(mine, about);
  return { ...share, host: { ...share.host, hostname: `host-${index}` }, wallMs: share.wallMs + index / 1e6 };
}

const replication = (runId: string, requests = steady(), about: About = {}) =>
  measurementOf(requests, { runId, startedAt: `2026-01-0${runId.length}T00:00:00.000Z`, ...about });

/** All counts and histograms, in a form that can be compared. */
function ledgerOf(measurement: Measurement) {
  const { requests, warmup, outcomes, attempts, clocks, windows } = measurement;
  const cells = ({ known, censored, failed }: Observations) => [cellsOf(known), cellsOf(censored), failed];
  return {
    requests,
    warmup,
    outcomes,
    attempts: attempts.attempts,
    clocks: Object.fromEntries(Object.entries(clocks).map(([name, clock]) => [name, cells(clock)])),
    windows: windows.map(({ startMs, widthMs, warmup, requests, response, service }) => {
      return { startMs, widthMs, warmup, requests, response: cells(response), service: cells(service) };
    }),
  };
}

const failing = (measurement: Measurement) =>
  conclude(measurement).verdict.checks.filter(({ passed }) => passed === false).map(({ code }) => code); // biome-ignore format: one thought

describe("shares of one run", () => {
  it("add up to the very run, window by window, however many and however they are grouped", () => {
    fc.assert(
      fc.property(fates, fc.integer({ min: 2, max: 4 }), fc.constantFrom("0", "250ms"), (requests, of, warmup) => {
        const about = { flags: { warmup } };
        const shares = Array.from({ length: of }, (_, index) => shareOf(requests, index, of, about));
        const whole = ledgerOf(reread(measurementOf(requests, about)));
        const all = merged(shares);
        expect(ledgerOf(all)).toEqual(whole);
        expect(failing(all)).not.toContain("accounting");
        expect(failing(all)).not.toContain("little");
        if (of > 2) {
          const [first, ...others] = shares;
          expect(ledgerOf(merged([merged(others), first!]))).toEqual(whole);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("keep the run's name, take as long as the longest, and add their rates", () => {
    const shares = [0, 1, 2].map((index) => shareOf(steady(99), index, 3, { flags: { rate: "99" } }));
    const all = merged(shares);
    expect(merge(shares)).toMatchObject({ ok: true, how: "shares" });
    expect(all.runId).toBe("run-a");
    expect(all.wallMs).toBe(Math.max(...shares.map(({ wallMs }) => wallMs)));
    expect(all.rate).toMatchObject({ targetPerS: 99, sentVsScheduled: 1 });
    expect(all.rate.achievedPerS).toBeCloseTo(99, 6);
    expect(all.rate.answeredPerS).toBeCloseTo(
      shares.reduce((sum, { rate }) => sum + rate.answeredPerS, 0),
      6,
    );
    expect(all.ended).toMatchObject({ how: "merged", runs: 1 });
    expect(all.inFlightMs).toBeCloseTo(
      shares.reduce((sum, { inFlightMs }) => sum + inFlightMs!, 0),
      3,
    );
  });

  it("are told from duplicates even where their counts are equal, as with constant arrivals", () => {
    const [a, b] = [0, 1].map((index) => shareOf(steady(), index, 2));
    expect(a!.windows.map(({ requests }) => requests)).toEqual(b!.windows.map(({ requests }) => requests));
    const onOneHost = [a!, { ...b!, host: a!.host }];
    expect(merged(onOneHost).requests.scheduled).toBe(100);
  });

  it("have the number in flight at the edges, and over the window, of the whole", () => {
    const requests = steady(200).map((told) => ({ ...told, endMs: told.endMs + 140 }));
    const whole = measurementOf(requests, { flags: { rate: "200" } });
    const all = merged([0, 1, 2].map((index) => shareOf(requests, index, 3, { flags: { rate: "200" } })));
    for (const [i, { inFlight }] of whole.windows.entries()) {
      expect(all.windows[i]!.inFlight.atStart).toBe(inFlight.atStart);
      expect(all.windows[i]!.inFlight.atEnd).toBe(inFlight.atEnd);
      expect(all.windows[i]!.inFlight.meanOverWindow).toBeCloseTo(inFlight.meanOverWindow, 9);
    }
    expect(whole.windows.some(({ inFlight }) => inFlight.atStart > 20)).toBe(true);
  });

  it("of different widths are added at the coarser, the warm-up's end still between two windows", () => {
    const about = { flags: { warmup: "250ms" } };
    const requests = steady(200).map((told) => ({ ...told, endMs: told.endMs + 90 }));
    const fine = shareOf(requests, 0, 2, { ...about, widthMs: 50 });
    const coarse = shareOf(requests, 1, 2, { ...about, widthMs: 100 });
    const all = merged([fine, coarse]);
    const whole = measurementOf(requests, { ...about, widthMs: 100 });
    expect(all.windows.map(({ startMs }) => startMs)).toEqual([-50, 50, 150, 250, 350, 450, 550, 650, 750, 850, 950]);
    expect(all.windows.map(({ warmup }) => warmup)).toEqual(whole.windows.map(({ warmup }) => warmup));
    expect(ledgerOf(all)).toEqual(ledgerOf(reread(whole)));
    for (const [i, { inFlight }] of whole.windows.entries()) {
      expect(all.windows[i]!.inFlight.atStart).toBe(inFlight.atStart);
      // A share's last window may end before the whole's does, and then says nothing of what is out after it.
      if (i === whole.windows.length - 1) continue;
      expect(all.windows[i]!.inFlight.atEnd).toBe(inFlight.atEnd);
      expect(all.windows[i]!.inFlight.meanOverWindow).toBeCloseTo(inFlight.meanOverWindow, 9);
    }
  });

  it("one of which had nothing to do add up too", () => {
    const all = merged([
      shareOf(steady(), 0, 1),
      { ...measurementOf([]), host: { ...measurementOf([]).host, hostname: "idle" } },
    ]);
    expect(ledgerOf(all)).toEqual(ledgerOf(reread(measurementOf(steady()))));
  });
});

describe("replications of one plan", () => {
  it("add their counts and set their windows one after the other, never added", () => {
    fc.assert(
      fc.property(fc.array(fates, { minLength: 2, maxLength: 3 }), fc.constantFrom("0", "250ms"), (runs, warmup) => {
        const parts = runs.map((requests, i) => replication("abc".slice(0, i + 1), requests, { flags: { warmup } }));
        const all = merged(parts);
        expect(all.requests.scheduled).toBe(parts.reduce((sum, { requests }) => sum + requests.scheduled, 0));
        expect(all.windows.map(({ requests }) => requests)).toEqual(
          parts.flatMap(({ windows }) => windows.map(({ requests }) => requests)),
        );
        for (const [i, window] of all.windows.slice(1).entries()) {
          const before = all.windows[i]!;
          expect(window.startMs).toBeGreaterThan(before.startMs + before.widthMs - 1e-6);
        }
        expect(failing(all)).not.toContain("accounting");
        expect(failing(all)).not.toContain("little");
      }),
      { numRuns: 25 },
    );
  });

  it("have one distribution, of all requests, not the average of two", () => {
    const slow = steady().map((told, i) => (i < 4 ? { ...told, endMs: told.endMs + 500 } : told));
    const all = merged([replication("a"), replication("ab", slow)]);
    expect(percentileOf(all.clocks.response!, 98.5).valueNs / 1e6).toBeGreaterThan(500);
    expect(percentileOf(all.clocks.response!, 97).valueNs / 1e6).toBeLessThan(7);
  });

  it("are named, timed and dated as what they are", () => {
    const about = { flags: { seed: "1" } };
    const parts = [replication("a", steady(), about), replication("ab", steady(), { flags: { seed: "2" } })];
    const all = merged(parts);
    expect(all).toMatchObject({ runId: "a+ab", startedAt: parts[0]!.startedAt });
    expect(all.wallMs).toBe(parts[0]!.wallMs + parts[1]!.wallMs);
    const shared = { hostname: "here", scheduled: 100, ended: { how: "completed" } };
    expect(all.ended).toEqual({
      how: "merged",
      runs: 2,
      parts: parts.map(({ runId, startedAt, wallMs }, i) => {
        return { ...shared, runId, startedAt, wallMs, seed: i + 1, firstWindow: 10 * i };
      }),
    });
  });

  it("average their rates, each run counting alike; what was sent by what was scheduled", () => {
    const rates = [40, 50, 60].map((achievedPerS, i) => {
      const part = replication("abc".slice(0, i + 1), steady(i === 2 ? 200 : 100));
      return {
        ...part,
        rate: { ...part.rate, achievedPerS, answeredPerS: achievedPerS, sentVsScheduled: i === 2 ? 0.9 : 1 },
      };
    });
    for (const all of [merged(rates), merged([merged(rates.slice(0, 2)), rates[2]!])]) {
      expect(all.rate).toMatchObject({ achievedPerS: 50, answeredPerS: 50 });
      expect(all.rate.sentVsScheduled).toBeCloseTo(0.95, 9);
      expect(all.rate.targetPerS).toBe(50);
    }
  });

  it("can be merged again, with the same result as all at once", () => {
    const [a, b, c] = ["a", "ab", "abc"].map((runId, i) => replication(runId, steady(100 + 100 * i)));
    const atOnce = merged([a!, b!, c!]);
    const again = merged([merged([a!, b!]), c!]);
    expect(ledgerOf(again)).toEqual(ledgerOf(atOnce));
    expect(again).toMatchObject({ ended: atOnce.ended, runId: atOnce.runId, wallMs: atOnce.wallMs });
  });

  it("of shares: the shares of each run first, then the runs", () => {
    const run = (runId: string) =>
      [0, 1].map((index) => ({
        ...shareOf(steady(), index, 2),
        runId,
        startedAt: `2026-01-0${runId.length}T00:00:00.000Z`,
      }));
    const [one, two] = [run("a"), run("ab")];
    const all = merged([merged(one), merged(two)]);
    expect(all.requests.scheduled).toBe(200);
    expect(all.ended).toMatchObject({ runs: 2 });
    expect(all.ended.how === "merged" && all.ended.parts.map(({ firstWindow }) => firstWindow)).toEqual([0, 0, 10, 10]);
    expect(all.windows).toHaveLength(20);
    expect(all.rate.achievedPerS).toBeCloseTo(100, 6);
    expect(problemOf(...one, ...two)).toMatch(/mixed; merge the shares of each run first/);
    expect(problemOf(merged(one), two[0]!)).toBe("merged as replications");
    expect(problemOf(one[0]!, merged([one[1]!, two[0]!]))).toMatch(/mixed/);
  });
});

describe("what is kept of the parts", () => {
  it("worst, sums and sets, each as it should be", () => {
    const about: About[] = [
      {
        generator: {
          ...measurementOf([]).generator,
          maxRssBytes: 5,
          heldBack: 2,
          limits: ["ports: none", "files: none"],
        },
      },
      { generator: { ...measurementOf([]).generator, maxRssBytes: 7, heldBack: 3, limits: ["files: none"] } },
    ];
    const all = merged(about.map((one, i) => replication("ab".slice(0, i + 1), steady(), one)));
    expect(all.generator).toMatchObject({
      cpuUserMs: 241,
      maxRssBytes: 7,
      heldBack: 5,
      limits: ["ports: none", "files: none"],
    });
    expect(all.generator.pauses).toEqual({ count: 2, totalMs: 3, maxMs: 1.5 });
    expect(all.attempts.connectionsOpened).toBe(4);
  });

  it("tags only where all have them", () => {
    const tagged = (runId: string, ...tag: string[]) => replication(runId, steady(), { flags: { tag } });
    const all = merged([tagged("a", "version=1", "night=yes"), tagged("ab", "night=yes", "version=2")]);
    expect(all.plan.tags).toEqual({ night: "yes" });
  });

  it("no number in flight where one part has none, and the first example of each failure", () => {
    const told = (detail: string) => ({ ...measurementOf([]).outcomes, details: { reset: detail } });
    const all = merged([
      replication("a", steady(), { outcomes: { ...told("first"), byStatus: { "200": 100 } } }),
      replication("ab", steady(), { outcomes: { ...told("second"), byStatus: { "200": 100 } }, inFlightMs: null }),
    ]);
    expect(all.inFlightMs).toBeNull();
    expect(all.outcomes.details.reset).toBe("first");
  });

  it("that one of them was cut short, or lost a worker", () => {
    const lost = { how: "worker-lost", reason: "it crashed" } as const;
    const all = merged([replication("a"), replication("ab", steady(), { ended: { how: "interrupted" } })]);
    expect(failing(all)).toEqual(["cut-short"]);
    const broken = replication("ab", steady(), { ended: lost, inFlightMs: null });
    const withLoss = conclude(merged([replication("a"), { ...broken, windows: broken.windows.slice(1) }])).verdict;
    expect(withLoss.status).toBe("invalid");
    expect(withLoss.findings.map(({ code }) => code)).toEqual(["cut-short"]);
  });
});

describe("merging refuses", () => {
  const run = measurementOf(steady());
  const other = replication("ab");

  it("fewer than two", () => {
    expect(problemOf()).toMatch(/at least two/);
    expect(problemOf(run)).toMatch(/at least two/);
  });

  it("the same record twice, also when one of them is inside a merged one", () => {
    const twice = /run run-a is there twice: the same requests would count double/;
    expect(problemOf(run, run)).toMatch(twice);
    expect(problemOf(run, reread(run))).toMatch(twice);
    expect(problemOf(run, other, run)).toMatch(twice);
    expect(problemOf(merged([run, other]), run)).toMatch(twice);
    expect(problemOf(merged([run, other]), merged([replication("abc"), run]))).toMatch(twice);
    const shares = [0, 1].map((index) => shareOf(steady(), index, 2));
    expect(problemOf(merged(shares), shares[1]!)).toMatch(twice);
  });

  it("parts of one run that began at different times", () => {
    expect(problemOf(run, { ...run, startedAt: "2026-02-02T00:00:00.000Z" })).toMatch(/mixed/);
  });

  it.each<readonly [string, About, RegExp]>([
    ["rate", { flags: { rate: "60" } }, /different plans: load\.ratePerS is 50 in one and 60 in the other;/],
    ["kind of load", { flags: { closed: "5" } }, /load\.kind is "open" in one and "closed" in the other/],
    [
      "target",
      { flags: { url: "http://127.0.0.1:9/" } },
      /request\.url is ".*8090\/" in one and ".*:9\/" in the other/,
    ],
    ["duration", { flags: { duration: "2s" } }, /durationMs is 1000 in one and 2000 in the other/],
    ["warm-up", { flags: { warmup: "100ms" } }, /warmupMs is 0 in one and 100/],
    ["timeout", { flags: { timeout: "1s" } }, /timeoutMs/],
    ["pool", { flags: { connections: "4" } }, /connections is null in one and 4/],
    ["header", { flags: { header: ["A: b"] } }, /request\.headers is \[\] in one and \[\["A","b"\]\]/],
  ])("runs whose %s differs, and says in what", (_, about, problem) => {
    expect(problemOf(run, replication("ab", steady(), about))).toMatch(problem);
    expect(problemOf(other, replication("abc"), replication("a", steady(), about))).toMatch(problem);
  });

  it("not those that differ in what only concerns the generator", () => {
    const flags = { seed: "9", threads: "2", pacing: "spin", tag: ["a=b"], abortOn: ["errors>5%"], maxInFlight: "99" };
    expect(problemOf(run, replication("ab", steady(), { flags }))).toBe("merged as replications");
  });

  it("a plan with a field that the other does not know", () => {
    const newer = { ...other, plan: { ...other.plan, ramp: "up" } };
    expect(problemOf(run, newer)).toMatch(/ramp is absent in one and "up" in the other/);
  });
});
