import { describe, expect, it } from "vitest";
import type { RunFlags } from "../plan/flags.js";
import { planOf } from "../plan/resolve.testkit.js";
import type { Ending, Rate } from "../record/record.js";
import { countOf } from "../stats/summary.js";
import { assemble, type RunRemains } from "./assemble.js";
import { COUNTER_INDEX, type CounterName, RUN_HISTOGRAMS, RunCells } from "./cells.js";
import type { OutcomeCounts } from "./messages.js";
import { WindowGrid } from "./window-grid.js";

const S = 1e9;
const START = 5 * S;

type Counters = Partial<Record<CounterName, number>>;

function cellsWith(counters: Counters): RunCells {
  const cells = new RunCells(new SharedArrayBuffer(RunCells.bytes));
  for (const [name, value] of Object.entries(counters)) cells.counters[COUNTER_INDEX[name as CounterName]] = value;
  return cells;
}

const NO_OUTCOMES: OutcomeCounts = { byStatus: {}, byError: {}, unsentBy: {}, warmupUnsentBy: {}, details: {} };

/** A run's remains: its plan, what each of its workers counted, and what else there is to say. */
function remains(flags: RunFlags, workers: readonly Counters[], rest: Partial<RunRemains> = {}): RunRemains {
  return {
    plan: planOf({ threads: String(Math.max(1, workers.length)), ...flags }),
    runId: "run-a",
    tool: { name: "tailrace", version: "0.0.0" },
    host: { hostname: "", platform: "", cpu: "", cores: 1, memoryBytes: 1, runtime: "", target: "" },
    startedAt: "2026-01-02T03:04:05.678Z",
    startNs: START,
    endNs: START + 12 * S,
    cutNs: null,
    ended: { how: "completed" },
    cells: workers.map(cellsWith),
    windows: new WindowGrid(50),
    outcomes: workers.map(() => NO_OUTCOMES),
    limits: [],
    usage: { cpuUserMs: 1, cpuSystemMs: 2, maxRssBytes: 3 },
    ...rest,
  };
}

describe("rates", () => {
  /** Ten requests, of which the tenth went out and was answered at these seconds; nine of each by the schedule's end. */
  const ten = (sentS: number, doneS: number): Counters => ({
    scheduled: 10,
    sentByEnd: 9,
    answeredByEnd: 8,
    lastSentNs: START + sentS * S,
    lastDoneNs: START + doneS * S,
  });
  const cut = (seconds: number): Partial<RunRemains> => ({ cutNs: START + seconds * S, ended: { how: "interrupted" } });

  it.each<readonly [string, RunFlags, Counters, Partial<RunRemains>, Partial<Rate>]>([
    [
      "of a schedule in time: over its length, whenever the last was sent",
      { duration: "10s" },
      ten(9.5, 11),
      {},
      { targetPerS: 50, achievedPerS: 0.9, answeredPerS: 0.8, sentVsScheduled: 0.9 },
    ],
    ["less the warm-up", { duration: "10s", warmup: "1s" }, ten(9.5, 11), {}, { achievedPerS: 1, answeredPerS: 8 / 9 }],
    ["cut: until then", { duration: "10s" }, ten(3.5, 5), cut(4), { achievedPerS: 9 / 4, answeredPerS: 2 }],
    ["cut while the last were waited for", { duration: "10s" }, ten(9.5, 11), cut(11), { achievedPerS: 0.9 }],
    [
      "cut in the warm-up",
      { duration: "10s", warmup: "5s" },
      {},
      cut(3),
      { achievedPerS: 0, answeredPerS: 0, sentVsScheduled: 1 },
    ],
    [
      "of a number of requests: until the last was sent, or answered",
      { requests: "10" },
      ten(4.5, 5),
      {},
      { achievedPerS: 2, answeredPerS: 1.6 },
    ],
    [
      "of a number, less the warm-up",
      { rate: "3", requests: "14", warmup: "1s" },
      { ...ten(5.5, 6), warmupScheduled: 4 },
      {},
      { achievedPerS: 2 },
    ],
    ["of a number, cut", { requests: "20" }, ten(4.5, 6), cut(5), { achievedPerS: 9 / 5, answeredPerS: 8 / 5 }],
    [
      "of a number and a time, the number first",
      { requests: "10", duration: "10s" },
      ten(4.5, 5),
      {},
      { achievedPerS: 2 },
    ],
    [
      "of a number and a time, the time first",
      { requests: "20", duration: "10s" },
      ten(9, 9),
      {},
      { achievedPerS: 0.9 },
    ],
    [
      "of users, in time",
      { closed: "2", duration: "10s" },
      ten(9.5, 11),
      {},
      { targetPerS: null, achievedPerS: 0.9, answeredPerS: 0.8 },
    ],
    ["of users, by number", { closed: "2", requests: "10" }, ten(4.5, 5), {}, { answeredPerS: 1.6 }],
    [
      "of users, by number before the time is over",
      { closed: "2", requests: "10", duration: "10s" },
      ten(4.5, 5),
      {},
      { answeredPerS: 1.6 },
    ],
    [
      "of users, by time before the number is reached",
      { closed: "2", requests: "20", duration: "10s" },
      ten(9, 9),
      {},
      { answeredPerS: 0.8 },
    ],
    ["of nothing", { duration: "10s" }, {}, {}, { achievedPerS: 0, answeredPerS: 0, sentVsScheduled: 1 }],
  ])("%s", (_, flags, counters, rest, rate) => {
    const found = assemble(remains(flags, [counters], rest)).rate;
    for (const [name, value] of Object.entries(rate)) {
      if (value === null) expect(found[name as keyof Rate]).toBeNull();
      else expect(found[name as keyof Rate]).toBeCloseTo(value, 9);
    }
  });

  it("of several workers add, and end with the last of them", () => {
    const workers = [ten(4.5, 5), ten(9, 10)];
    expect(assemble(remains({ requests: "20" }, workers)).rate).toMatchObject({
      achievedPerS: 2,
      answeredPerS: 1.6,
      sentVsScheduled: 0.9,
    });
  });
});

describe("what the workers counted", () => {
  const one: Counters = {
    scheduled: 10,
    ok: 6,
    errors: 2,
    timeouts: 1,
    unfinished: 1,
    sent: 9,
    bodyBytes: 100,
    heldBack: 1,
  };
  const two: Counters = {
    scheduled: 5,
    ok: 5,
    sent: 5,
    bodyBytes: 50,
    attempts: 7,
    staleRetries: 2,
    connectionsOpened: 3,
  };
  const outcomes: OutcomeCounts[] = [
    { ...NO_OUTCOMES, byStatus: { 200: 6, 500: 1 }, byError: { status: 1, reset: 1 }, unsentBy: { timeout: 1 } },
    {
      ...NO_OUTCOMES,
      byStatus: { 200: 5 },
      warmupUnsentBy: { refused: 2 },
      details: { refused: "nobody listens there" },
    },
  ];
  const warm: Counters = { warmupScheduled: 4, warmupOk: 1, warmupErrors: 2, warmupTimeouts: 1, warmupSent: 2 };

  it("is added up, measured and warm-up apart", () => {
    const measurement = assemble(
      remains({ warmup: "1s" }, [one, { ...two, ...warm }], { outcomes, limits: ["local ports: none"] }),
    );
    expect(measurement.requests).toEqual({
      scheduled: 15,
      ok: 11,
      errors: 2,
      timeouts: 1,
      unfinished: 1,
      sent: 14,
      unsent: 1,
      unsentBy: { timeout: 1 },
    });
    expect(measurement.warmup).toEqual({
      scheduled: 4,
      ok: 1,
      errors: 2,
      timeouts: 1,
      unfinished: 0,
      sent: 2,
      unsent: 2,
      unsentBy: { refused: 2 },
    });
    expect(measurement.outcomes).toEqual({
      byStatus: { 200: 11, 500: 1 },
      byError: { status: 1, reset: 1 },
      details: { refused: "nobody listens there" },
      bodyBytes: 150,
    });
    expect(measurement.attempts).toMatchObject({ attempts: 7, staleRetries: 2, connectionsOpened: 3, hedges: 0 });
    expect(measurement.generator).toMatchObject({ cpuUserMs: 1, heldBack: 1, limits: ["local ports: none"] });
    expect(measurement.wallMs).toBe(12_000);
  });

  it("has no warm-up where the plan has none", () => {
    expect(assemble(remains({}, [one])).warmup).toBeNull();
  });

  it("has pauses by number, sum and longest, and the time in flight, in ms", () => {
    const pauses: Counters[] = [
      { pauses: 1, pausedNs: 2e6, longestPauseNs: 2e6, inFlightNs: 30e6 },
      { pauses: 2, pausedNs: 4e6, longestPauseNs: 3e6, inFlightNs: 12e6 },
    ];
    const measurement = assemble(remains({}, pauses));
    expect(measurement.generator.pauses).toEqual({ count: 3, totalMs: 6, maxMs: 3 });
    expect(measurement.inFlightMs).toBe(42);
  });

  it("has what a lost worker had out as unfinished, and no time in flight", () => {
    const ended: Ending = { how: "worker-lost", reason: "exit 1" };
    const measurement = assemble(remains({}, [{ ...one, scheduled: 14 }, two], { ended }));
    expect(measurement.requests).toMatchObject({
      scheduled: 19,
      ok: 11,
      errors: 2,
      timeouts: 1,
      unfinished: 5,
      unsent: 5,
    });
    expect(measurement.inFlightMs).toBeNull();
  });

  it("tells no secrets", () => {
    const { plan } = assemble(remains({ header: ["Cookie: s3cr3t"], user: "me:s3cr3t" }, [one]));
    expect(JSON.stringify(plan)).not.toContain("s3cr3t");
  });
});

describe("the clocks", () => {
  it("are there where something was recorded, with their censored and their failed", () => {
    const run = remains({}, [{ errors: 3, serviceFailed: 2 }, {}]);
    const [a, b] = run.cells.map(({ histograms }) => histograms);
    a!.response.record(5e6);
    b!.response.record(6e6);
    b!.responseCensored.record(7e6);
    a!.service.record(4e6);
    b!.sendLag.record(0);
    const { clocks } = assemble(run);
    expect(Object.keys(clocks).toSorted()).toEqual(["answered", "response", "sendLag", "service"]);
    const { response, answered, service, sendLag } = clocks;
    expect([response!.known.total, response!.censored.total, response!.failed]).toEqual([2, 1, 3]);
    expect([answered!.known.total, countOf(answered!)]).toEqual([2, 2]);
    expect([service!.known.total, service!.failed]).toEqual([1, 2]);
    expect(countOf(sendLag!)).toBe(1);
  });

  it("leave none of the workers' histograms out", () => {
    const run = remains({}, [{}]);
    for (const name of RUN_HISTOGRAMS) run.cells[0]!.histograms[name].record(1e6);
    const { clocks } = assemble(run);
    const parts = Object.values(clocks).reduce((sum, observed) => sum + countOf(observed), 0);
    // The ok of `response` are those of `answered` too.
    expect(parts).toBe(RUN_HISTOGRAMS.length + 1);
  });
});
