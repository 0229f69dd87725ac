import { describe, expect, it } from "vitest";
import { cellsOf } from "../hdr/hdr.testkit.js";
import { readHlog } from "../hdr/index.js";
import { measurementOf, steady, type Told } from "../record/measurement.testkit.js";
import { atBounds } from "../stats/summary.js";
import { runHgrm, runHlog } from "./run-hlog.js";

const mixed = steady(200).map((told, i): Told => {
  if (i % 10 === 0) return { ...told, outcome: "errors" };
  return i % 10 === 1 ? { ...told, outcome: "timeouts", endMs: told.endMs + 200 } : told;
});
const measurement = measurementOf(mixed, { flags: { warmup: "250ms" } });

describe("the interval log of a run", () => {
  const text = runHlog(measurement);
  const log = readHlog(text);

  it("has a line a window, with its place in time, those of the warm-up tagged", () => {
    expect(log.problems).toEqual([]);
    expect(log.startTime).toBeCloseTo(Date.parse(measurement.startedAt) / 1000, 3);
    expect(log.intervals.map(({ startSeconds, lengthSeconds, tag }) => [startSeconds, lengthSeconds, tag])).toEqual(
      measurement.windows.map(({ startMs, widthMs, warmup }) => [
        expect.closeTo(startMs / 1000, 6),
        widthMs / 1000,
        warmup ? "warmup" : undefined,
      ]),
    );
  });

  it("has the windows' response times, the censored at their bounds, in ns", () => {
    for (const [i, interval] of log.intervals.entries()) {
      const expected = atBounds(measurement.windows[i]!.response);
      expect(cellsOf(interval.histogram())).toEqual(cellsOf(expected));
      expect(interval.maxUnscaled).toBeCloseTo(expected.max / 1e6, 3);
    }
  });

  it("says what it is of, and what the format has no place for", () => {
    const { errors, timeouts } = measurement.requests;
    expect(text).toContain("# response time (from the intended send time) of run run-a, in ns\n");
    expect(text).toContain(`# ${timeouts} censored at their lower bounds, ${errors} failed left out\n`);
  });

  it("of a run in which nothing was scheduled has no line", () => {
    expect(readHlog(runHlog(measurementOf([])))).toMatchObject({ intervals: [], problems: [] });
  });
});

describe("the percentile distribution of a run", () => {
  it("is that of its response times, the censored at their bounds, in ms", () => {
    const text = runHgrm(measurement);
    const bounded = atBounds(measurement.clocks.response!);
    expect(text).toContain(`Total count    = ${String(bounded.total).padStart(12)}]`);
    const rows = text.split("\n").flatMap((line) => {
      const fields = /^\s*([\d.]+)\s+([\d.]+)\s+(\d+)/.exec(line);
      return fields === null ? [] : [fields.slice(1).map(Number)];
    });
    expect(rows.length).toBeGreaterThan(10);
    for (const [valueMs, level, reached] of rows) {
      expect(valueMs).toBeCloseTo(bounded.valueAtPercentile(Math.min(100, level! * 100)) / 1e6, 1);
      expect(reached! / bounded.total).toBeGreaterThanOrEqual(level! - 1e-9);
    }
    expect(rows.at(-1)).toEqual([expect.closeTo(bounded.max / 1e6, 3), 1, bounded.total]);
  });

  it("of a run in which nothing was scheduled is empty", () => {
    expect(runHgrm(measurementOf([]))).toContain("Total count    =            0]");
  });
});
