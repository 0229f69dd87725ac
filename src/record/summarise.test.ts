import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../hdr/hdr.testkit.js";
import { HdrFormatError, SparseHistogram } from "../hdr/index.js";
import { NO_OBSERVATIONS } from "../stats/summary.js";
import { conclude } from "../verdict/conclude.js";
import { fates, histogramOf, measurementOf, observed, steady } from "./measurement.testkit.js";
import { CLOCKS, type RunRecord } from "./record.js";
import { reopen, summarise, summariseClock } from "./summarise.js";

describe("a clock's summary", () => {
  it("has n, moments, extremes and percentiles, in ms", () => {
    const summary = summariseClock(observed(Array.from({ length: 1000 }, (_, i) => i + 1)));
    expect(summary).toMatchObject({ n: 1000, overflow: 0, censored: null, censoredOverflow: 0, failed: 0 });
    expect(summary.meanMs! / 500.5).toBeCloseTo(1, 3);
    expect(summary.stdevMs! / 288.675).toBeCloseTo(1, 3);
    expect(summary.minMs).toBeCloseTo(1, 2);
    expect(summary.maxMs! / 1000).toBeCloseTo(1, 2);
    expect(summary.percentiles.map(({ p }) => p)).toEqual([50, 75, 90, 95, 99, 99.9, 99.99]);
    const p99 = summary.percentiles.find(({ p }) => p === 99);
    expect(p99).toMatchObject({ tailCount: 10, status: "known", lowMs: null, highMs: null, effectiveN: null });
    expect(p99!.valueMs! / 990).toBeCloseTo(1, 2);
  });

  it("has the censored at their bounds in it, and says which part they are", () => {
    const summary = summariseClock(observed([1, 1], [3, 3]));
    expect(summary.n).toBe(4);
    expect(summary.meanMs).toBeCloseTo(2, 2);
    expect(summary.maxMs).toBeCloseTo(3, 2);
    expect(summary.censored).not.toBeNull();
    expect(summary.percentiles[1]).toMatchObject({ p: 75, status: "unknown" });
  });

  it("of failed ones only has a count, and no moments", () => {
    expect(summariseClock(observed([], [], 5))).toMatchObject({
      n: 5,
      meanMs: null,
      stdevMs: null,
      minMs: null,
      maxMs: null,
    });
    const [median] = summariseClock(observed([], [], 5)).percentiles;
    expect(median).toMatchObject({ valueMs: null, status: "failed", tailCount: 2 });
  });

  it("has the largest number for what took over an hour, for JSON has no infinity", () => {
    const known = histogramOf([1]);
    known.addOverflow(99);
    const summary = summariseClock({ ...NO_OBSERVATIONS, known });
    expect(summary).toMatchObject({ n: 100, overflow: 99, maxMs: Number.MAX_VALUE, meanMs: Number.MAX_VALUE });
    expect(summary.percentiles[0]).toMatchObject({ valueMs: Number.MAX_VALUE, status: "known" });
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  });
});

/** All that can be told of a run, through a file and back. */
const throughJson = (record: RunRecord) => JSON.parse(JSON.stringify(record)) as RunRecord;

describe("a record", () => {
  it("is null on clocks on which nothing was recorded", () => {
    const { latency } = summarise(measurementOf(steady()));
    expect(Object.keys(latency)).toEqual([...CLOCKS]);
    expect(latency.response?.n).toBe(100);
    expect(latency.alone).toBeNull();
    expect(summarise(measurementOf([])).latency.response).toBeNull();
  });

  it("comes back from a file as it was measured: same record, same histograms", () => {
    fc.assert(
      fc.property(fates, fc.constantFrom("0", "0.25s"), (requests, warmup) => {
        const measurement = measurementOf(requests, { flags: { warmup } });
        const record = conclude(measurement);
        const again = reopen(throughJson(record));
        expect(conclude(again)).toEqual(record);
        const { clocks: _, windows: __, ...rest } = measurement;
        expect(again).toMatchObject(rest);
        for (const [i, window] of measurement.windows.entries()) {
          expect(cellsOf(again.windows[i]!.response.known)).toEqual(cellsOf(window.response.known));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("keeps what a histogram has no place for", () => {
    const known = histogramOf([5]);
    known.addOverflow(3);
    const censored = new SparseHistogram();
    censored.addOverflow(2);
    const measurement = measurementOf(steady());
    const odd = { ...measurement, clocks: { ...measurement.clocks, response: { known, censored, failed: 4 } } };
    const { response } = reopen(throughJson(conclude(odd))).clocks;
    expect([response!.known.overflow, response!.known.total, response!.censored.total, response!.failed]).toEqual([
      3, 4, 2, 4,
    ]);
  });

  it("with a damaged histogram is refused", () => {
    const record = throughJson(conclude(measurementOf(steady())));
    const { response } = record.latency;
    const damaged = { ...response!, histogram: response!.histogram.replace("HISTFAAAA", "HISTFBBBB") };
    expect(() => reopen({ ...record, latency: { ...record.latency, response: damaged } })).toThrow(HdrFormatError);
  });
});
