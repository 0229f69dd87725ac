import { describe, expect, it } from "vitest";
import { COUNTER_INDEX, type CounterName, RunCells } from "./cells.js";
import { readLiveView } from "./live-view.js";

function cellsWith(counters: Partial<Record<CounterName, number>>, responseMs: readonly number[] = []): RunCells {
  const cells = new RunCells(new SharedArrayBuffer(RunCells.bytes));
  for (const [name, value] of Object.entries(counters)) cells.counters[COUNTER_INDEX[name as CounterName]] = value;
  for (const ms of responseMs) cells.histograms.response.record(ms * 1e6);
  return cells;
}

const timing = { elapsedMs: 1000, durationMs: 2000, warmingUp: false };

describe("the live view", () => {
  it("adds up all workers, the warm-up too", () => {
    const one = { scheduled: 10, warmupScheduled: 1, sent: 9, warmupSent: 2, ok: 7, warmupOk: 3, inFlight: 4 };
    const two = {
      errors: 1,
      warmupErrors: 2,
      timeouts: 3,
      warmupTimeouts: 4,
      inFlight: 5,
      connectionsAlive: 6,
      ok: 100,
    };
    expect(readLiveView([cellsWith(one), cellsWith(two)], timing)).toEqual({
      ...timing,
      scheduled: 11,
      sent: 11,
      ok: 110,
      errors: 3,
      timeouts: 7,
      inFlight: 9,
      connections: 6,
      p50Ms: null,
      p99Ms: null,
    });
  });

  it("has the percentiles of what was answered, and of what was not in time", () => {
    const one = cellsWith(
      {},
      Array.from({ length: 50 }, () => 10),
    );
    const two = cellsWith(
      {},
      Array.from({ length: 48 }, () => 10),
    );
    two.histograms.responseCensored.record(500e6);
    two.histograms.responseCensored.record(500e6);
    const { p50Ms, p99Ms } = readLiveView([one, two], timing);
    expect(p50Ms! / 10).toBeCloseTo(1, 2);
    expect(p99Ms! / 500).toBeCloseTo(1, 2);
  });

  it("has no percentile that is endless", () => {
    const cells = cellsWith({}, [10]);
    cells.histograms.response.record(1e18);
    expect(readLiveView([cells], timing)).toMatchObject({ p99Ms: null });
    expect(readLiveView([cells], timing).p50Ms).not.toBeNull();
  });
});
