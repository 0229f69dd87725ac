import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ErrorKind } from "../driver/driver.js";
import { openSchedule } from "../schedule/schedule.js";
import type { Job } from "./messages.js";
import { SAMPLE_COLUMNS } from "./messages.js";
import { baseJob, type Fate, type ServerScript, VirtualWorld } from "./virtual-world.testkit.js";

const MS = 1e6;
const steady = (afterMs: number): ServerScript => ({ exchange: () => ({ kind: "answer", afterNs: afterMs * MS }) });

function world(job: Partial<Job>, script: ServerScript, wakeLagNs = 0): VirtualWorld {
  const made = new VirtualWorld(baseJob(job), script, wakeLagNs);
  made.run();
  return made;
}

/** Every identity that must hold whatever happened. */
function expectBalancedBooks(done: VirtualWorld): void {
  expect(done.outcomes).toBeDefined();
  for (const part of ["", "warmup"] as const) {
    const get = (name: string) =>
      done.get((part === "" ? name : `warmup${name[0]!.toUpperCase()}${name.slice(1)}`) as "ok");
    const unsent = Object.values(part === "" ? done.outcomes!.unsentBy : done.outcomes!.warmupUnsentBy);
    expect(get("ok") + get("errors") + get("timeouts") + get("unfinished")).toBe(get("scheduled"));
    expect(get("sent") + unsent.reduce((a, b) => a + b, 0)).toBe(get("scheduled"));
  }
  const total = (name: "scheduled" | "ok" | "errors" | "timeouts" | "unfinished" | "sent") =>
    done.windows.reduce((sum, window) => sum + window[name], 0);
  for (const name of ["scheduled", "ok", "errors", "timeouts", "unfinished", "sent"] as const) {
    const warm = done.get(`warmup${name[0]!.toUpperCase()}${name.slice(1)}` as "warmupOk");
    expect(total(name)).toBe(done.get(name) + warm);
  }
  expect(new Set(done.windows.map((window) => window.index)).size).toBe(done.windows.length);
  const { response, responseCensored, service, serviceCensored } = done.cells.histograms;
  expect(response.total + responseCensored.total + done.get("errors")).toBe(done.get("scheduled"));
  expect(service.total + serviceCensored.total + done.get("serviceFailed")).toBe(done.get("sent"));
  expect(done.get("inFlight")).toBe(0);
  expect(done.living.size).toBe(0);
}

describe("an open loop", () => {
  it("sends at the schedule's times, whatever the server does", () => {
    const job = { samples: true, load: { kind: "open", arrivals: "poisson", ratePerS: 500 } as const, seed: 9 };
    const times = new Float64Array(2000);
    const count = openSchedule({
      ...job.load,
      seed: 9,
      durationNs: 1e9,
      requests: 1e9,
      share: { index: 0, of: 1 },
    }).next(times);
    for (const afterMs of [1, 400]) {
      const done = world(job, steady(afterMs));
      const rows = done.samples.flatMap((batch) => [...batch]);
      const intended = rows.filter((_, i) => i % SAMPLE_COLUMNS.length === 1).toSorted((a, b) => a - b);
      expect(intended).toEqual([...times.subarray(0, count)]);
      expectBalancedBooks(done);
    }
  });

  it("measures from the intended time what a late generator and a full pool add", () => {
    const done = world(
      { load: { kind: "open", arrivals: "constant", ratePerS: 100 }, maxConnections: 1, preopen: 1 },
      steady(20),
    );
    // 100 a second through one connection at 20 ms each: the 100th waits for 99 others, 99 · 20 ms − 990 ms.
    const { response, service, queue, lateness } = done.cells.histograms;
    expect(service.max / MS).toBeCloseTo(20, 0);
    expect(response.max / MS).toBeCloseTo(20 + 990, -1);
    expect(queue.max / MS).toBeCloseTo(990, -1);
    expect(lateness.max).toBeLessThan(2000);
    expectBalancedBooks(done);
  });

  it("books a generator's own delay as lateness, not as waiting", () => {
    const done = world({}, steady(5), 3 * MS);
    const { sendLag, lateness, queue, service, response } = done.cells.histograms;
    expect(lateness.valueAtPercentile(50) / MS).toBeCloseTo(3, 1);
    expect(sendLag.valueAtPercentile(50)).toBe(lateness.valueAtPercentile(50));
    expect(queue.max).toBe(0);
    expect(service.valueAtPercentile(50) / MS).toBeCloseTo(5, 1);
    expect(response.valueAtPercentile(50) / MS).toBeCloseTo(8, 1);
    expect(done.get("pauses")).toBeGreaterThan(90);
  });

  it("opens connections as they are needed, and times the opening apart", () => {
    const done = world({ preopen: 0 }, { ...steady(500), openNs: 30 * MS });
    expect(done.get("connectionsOpened")).toBeGreaterThan(45);
    expect(done.cells.histograms.connect.valueAtPercentile(50) / MS).toBeCloseTo(30, 0);
    expect(done.cells.histograms.response.valueAtPercentile(50) / MS).toBeCloseTo(530, -1);
    expectBalancedBooks(done);
  });

  it("opens as many as a frozen server keeps waiting", () => {
    const load = { kind: "open", arrivals: "constant", ratePerS: 2000 } as const;
    const frozen = (nowNs: number) => nowNs > 1.3e9 && nowNs < 1.5e9;
    const done = world(
      { load },
      { exchange: (_, nowNs) => ({ kind: "answer", afterNs: frozen(nowNs) ? 1.5e9 - nowNs + MS : MS }) },
    );
    expect(done.get("connectionsOpened")).toBeGreaterThan(390);
    expect(done.cells.histograms.queue.max / MS).toBeLessThan(1);
    expectBalancedBooks(done);
  });

  it("does not answer its own standstill with a storm of connections", () => {
    const load = { kind: "open", arrivals: "constant", ratePerS: 20_000 } as const;
    const made = new VirtualWorld(
      baseJob({ load, preopen: 16, durationNs: 0.2e9 }),
      { exchange: () => ({ kind: "answer", afterNs: 0.05 * MS }), dialNs: 0.06 * MS },
      5000,
    );
    // 400 requests fall due at once; the sixteen connections have them done 1.25 ms later. What is opened meanwhile is opened
    // in the moments between answers.
    made.at(1.1e9, () => {
      made.nowNs += 20 * MS;
    });
    made.run();
    expect(made.get("connectionsOpened")).toBeLessThan(100);
    expect(made.get("ok")).toBe(4000);
    expectBalancedBooks(made);
  });

  it("lets requests past the limit wait in the schedule, counted, and calls it no lateness", () => {
    const done = world({ maxInFlight: 5 }, steady(100));
    expect(done.get("heldBack")).toBeGreaterThan(40);
    expect(done.cells.histograms.lateness.max).toBeLessThan(1 * MS);
    expect(done.cells.histograms.queue.max).toBeGreaterThan(500 * MS);
    expectBalancedBooks(done);
  });

  it("counts as in flight exactly those due and not ended: Little's law", () => {
    for (const job of [{}, { maxInFlight: 5 }, { maxConnections: 2 }]) {
      const done = world(job, steady(50));
      const { response } = done.cells.histograms;
      expect(done.get("inFlightNs") / (response.mean * response.total)).toBeCloseTo(1, 2);
    }
  });

  it("marks as alone only what had the server to itself", () => {
    expect(world({}, steady(5)).cells.histograms.alone.total).toBe(100);
    const busy = world({}, steady(25)).cells.histograms.alone;
    expect(busy.total).toBe(1);
  });
});

describe("timeouts", () => {
  it("run from the intended time, and keep the request as a lower bound", () => {
    const done = world({ timeoutNs: 200 * MS }, { exchange: () => ({ kind: "silence" }) });
    expect(done.get("timeouts")).toBe(100);
    const { responseCensored } = done.cells.histograms;
    expect(responseCensored.min / MS).toBeCloseTo(200, 0);
    expect(responseCensored.max / MS).toBeCloseTo(200, 0);
    expectBalancedBooks(done);
  });

  it("reach those that wait for a connection, and say that they were never sent", () => {
    const done = world({ timeoutNs: 200 * MS, preopen: 0 }, { ...steady(1), openNs: 5e9 });
    expect(done.outcomes!.unsentBy).toEqual({ timeout: 100 });
    expect(done.get("timeouts")).toBe(100);
    expectBalancedBooks(done);
  });

  it("take along the connection that hangs, so that later requests try their own", () => {
    const load = { kind: "open", arrivals: "constant", ratePerS: 4 } as const;
    const done = world(
      { load, timeoutNs: 200 * MS, preopen: 0 },
      { ...steady(1), refuse: (n) => (n === 0 ? "hang" : null) },
    );
    expect(done.get("timeouts")).toBe(1);
    expect(done.get("ok")).toBe(3);
    expectBalancedBooks(done);
  });

  it("reach those held back in the schedule", () => {
    const done = world({ timeoutNs: 100 * MS, maxInFlight: 2 }, { exchange: () => ({ kind: "silence" }) });
    expect(done.get("timeouts")).toBe(100);
    expectBalancedBooks(done);
  });
});

describe("faults", () => {
  it("a reused connection that dies before the first byte: once more, with the same intended time", () => {
    const done = world(
      {},
      {
        exchange: (n, _, onThis) =>
          n % 10 === 3 && onThis > 0
            ? { kind: "fail", afterNs: MS, error: "reset" }
            : { kind: "answer", afterNs: 2 * MS },
      },
    );
    expect(done.get("staleRetries")).toBeGreaterThan(5);
    expect(done.get("ok")).toBe(100);
    expect(done.get("attempts")).toBe(100 + done.get("staleRetries"));
    expectBalancedBooks(done);
  });

  it("the same on a fresh connection, after the first byte, or for a POST: an error", () => {
    const fail: ServerScript = { exchange: () => ({ kind: "fail", afterNs: MS, error: "reset" }) };
    expect(world({ preopen: 0 }, fail).get("errors")).toBe(100);
    const afterByte: ServerScript = {
      exchange: (n) =>
        n < 2 ? { kind: "answer", afterNs: MS } : { kind: "fail", afterNs: MS, error: "closed", sawFirstByte: true },
    };
    expect(world({}, afterByte).get("staleRetries")).toBe(0);
    const post = { request: { ...baseJob().request, method: "POST", idempotent: false } };
    const stale: ServerScript = {
      exchange: (_, __, onThis) =>
        onThis > 0 ? { kind: "fail", afterNs: MS, error: "reset" } : { kind: "answer", afterNs: MS },
    };
    const posted = world(post, stale);
    expect(posted.get("staleRetries")).toBe(0);
    expect(posted.get("errors")).toBeGreaterThan(0);
  });

  it("a target that refuses for a while: errors, unsent, then ok again", () => {
    const done = world(
      {},
      {
        exchange: (_, nowNs) =>
          nowNs > 1.3e9 && nowNs < 1.6e9
            ? { kind: "fail", afterNs: 1000, error: "reset" }
            : { kind: "answer", afterNs: MS },
        refuse: (_, nowNs) => (nowNs > 1.3e9 && nowNs < 1.6e9 ? "refused" : null),
      },
    );
    expect(done.outcomes!.unsentBy.refused).toBeGreaterThan(20);
    expect(done.get("ok")).toBeGreaterThan(60);
    expectBalancedBooks(done);
  });

  it("no more descriptors while others are open: waits, and says so once", () => {
    const done = world({ preopen: 4 }, { ...steady(100), refuse: (n) => (n >= 4 ? "no-descriptors" : null) });
    expect(done.get("ok")).toBe(100);
    expect(done.limits).toHaveLength(1);
    expect(done.limits[0]).toContain("1024");
    expectBalancedBooks(done);
  });

  it("idle connections that the server closes are lost, and replaced", () => {
    const made = new VirtualWorld(baseJob(), steady(2));
    for (let ms = 100; ms < 1000; ms += 100) {
      made.at(1e9 + ms * MS + 5 * MS, () => {
        for (const connection of made.living) connection.closeIdle();
      });
    }
    made.run();
    expect(made.get("connectionsLost")).toBeGreaterThan(8);
    expect(made.get("ok")).toBe(100);
    expectBalancedBooks(made);
  });

  it("unexpected statuses are errors", () => {
    const done = world(
      { expectStatus: [[200, 200]] },
      { exchange: (n) => ({ kind: "answer", afterNs: MS, status: n % 2 === 0 ? 200 : 503 }) },
    );
    expect(done.get("errors")).toBe(50);
    expect(done.outcomes!.byError).toEqual({ status: 50 });
    expect(done.outcomes!.byStatus).toEqual({ 200: 50, 503: 50 });
    expectBalancedBooks(done);
  });
});

describe("stopping", () => {
  it("once: cuts the schedule and waits for what is out", () => {
    const made = new VirtualWorld(baseJob(), steady(300));
    made.at(1.5e9, () => made.loop.stopSchedule());
    made.run();
    expect(made.get("scheduled")).toBeGreaterThan(45);
    expect(made.get("scheduled")).toBeLessThan(55);
    expect(made.get("ok")).toBe(made.get("scheduled"));
    expectBalancedBooks(made);
  });

  it.each([{}, { maxInFlight: 3 }, { maxConnections: 2 }])("at once: what is out is unfinished (%j)", (job) => {
    const made = new VirtualWorld(baseJob(job), steady(300));
    made.at(1.5e9, () => made.loop.stopNow());
    made.run();
    expect(made.get("unfinished")).toBeGreaterThan(20);
    expectBalancedBooks(made);
  });
});

describe("a closed loop", () => {
  const closed = { kind: "closed", users: 4, thinkNs: 10 * MS, expectedIntervalNs: 15 * MS } as const;

  it("never has more in flight than users, and stops at the end", () => {
    const done = world({ load: closed, preopen: 4 }, steady(5));
    expect(done.get("scheduled")).toBeCloseTo((4 * 1000) / 15, -1);
    expect(done.get("connectionsOpened")).toBe(4);
    expectBalancedBooks(done);
  });

  it("back-fills what the users would have sent had they not waited", () => {
    const done = world(
      { load: closed, preopen: 4 },
      { exchange: (n) => ({ kind: "answer", afterNs: (n === 50 ? 300 : 5) * MS }) },
    );
    const { response, corrected } = done.cells.histograms;
    expect(corrected.total).toBe(response.total + 19);
  });

  it("is limited by requests", () => {
    const done = world({ load: closed, preopen: 4, requests: 10, durationNs: Number.POSITIVE_INFINITY }, steady(5));
    expect(done.get("ok")).toBe(10);
    expectBalancedBooks(done);
  });
});

describe("a warm-up", () => {
  it("is kept apart, in windows of its own", () => {
    const done = world({ warmupNs: 333 * MS }, steady(5));
    expect(done.get("warmupScheduled")).toBe(34);
    expect(done.get("scheduled")).toBe(66);
    expect(done.windows.filter((window) => window.index < 0).reduce((sum, window) => sum + window.scheduled, 0)).toBe(
      34,
    );
    expectBalancedBooks(done);
  });
});

const errorKind = fc.constantFrom<ErrorKind>("reset", "closed", "protocol");
const fate: fc.Arbitrary<Fate> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("answer" as const), afterNs: fc.nat(80 * MS), close: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fail" as const),
      afterNs: fc.nat(50 * MS),
      error: errorKind,
      sawFirstByte: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "silence" as const }) },
);

describe("whatever happens", () => {
  it("every request has exactly one outcome, and every ledger agrees", () => {
    fc.assert(
      fc.property(
        fc.array(fate, { minLength: 1, maxLength: 40 }),
        fc.array(fc.option(fc.constantFrom<ErrorKind>("refused", "no-ports", "reset"), { freq: 3 }), {
          minLength: 1,
          maxLength: 10,
        }),
        fc.record({
          maxConnections: fc.constantFrom(1, 3, 10_000),
          maxInFlight: fc.constantFrom(2, 10, 10_000),
          timeoutNs: fc.constantFrom(60 * MS, 400 * MS),
          warmupNs: fc.constantFrom(0, 120 * MS),
          durationNs: fc.constant(400 * MS),
          preopen: fc.constantFrom(0, 1),
        }),
        fc.boolean(),
        fc.option(fc.record({ afterNs: fc.nat(600 * MS), now: fc.boolean() })),
        fc.constantFrom(0, 2 * MS),
        (fates, refusals, limits, closed, stop, wakeLagNs) => {
          const load = closed
            ? ({ kind: "closed", users: 3, thinkNs: 5 * MS, expectedIntervalNs: null } as const)
            : ({ kind: "open", arrivals: "poisson", ratePerS: 200 } as const);
          const made = new VirtualWorld(
            baseJob({ ...limits, load }),
            {
              exchange: (n) => fates[n % fates.length]!,
              refuse: (n) => refusals[n % refusals.length]!,
            },
            wakeLagNs,
          );
          if (stop !== null) {
            made.at(1e9 + stop.afterNs, () => (stop.now ? made.loop.stopNow() : made.loop.stopSchedule()));
          }
          made.run();
          expectBalancedBooks(made);
        },
      ),
      { numRuns: 400 },
    );
  });
});
