import { readFileSync } from "node:fs";
import * as hdr from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import { HdrFormatError } from "./format-error.js";
import { cellsOf } from "./hdr.testkit.js";
import { Histogram } from "./histogram.js";
import { type HlogInterval, hlogHeader, hlogLine, hlogRange, readHlog } from "./hlog.js";

const logFile = (name: string) => readFileSync(new URL(`../../test/data/hlog/${name}`, import.meta.url), "utf8");

const PLAIN = logFile("jHiccup-2.0.7S.logV2.hlog");
const WITH_BASE_TIME = logFile("jHiccup-with-basetime-2.0.7S.logV2.hlog");
const TAGGED = logFile("tagged-Log.logV2.hlog");

function accumulated(intervals: readonly HlogInterval[]): Histogram {
  const sum = new Histogram();
  for (const interval of intervals) sum.add(interval.histogram());
  return sum;
}

function figures(intervals: readonly HlogInterval[]) {
  const sum = accumulated(intervals);
  const p999 = sum.valueAtPercentile(99.9);
  return { intervals: intervals.length, count: sum.total, p999, max: sum.max, overflow: sum.overflow };
}

const WHOLE = { intervals: 62, count: 48_761, p999: 1_745_879_039, max: 1_796_210_687, overflow: 0 };
const FROM_5_TO_20 = { intervals: 15, count: 11_664, p999: 1_536_163_839, max: 1_544_552_447, overflow: 0 };

describe("reading jHiccup's logs", () => {
  it("gives the figures other implementations agree on", () => {
    const log = readHlog(PLAIN);
    expect(log.problems).toEqual([]);
    expect(log.startTime).toBe(1441812279.474);
    expect(figures(log.intervals)).toEqual(WHOLE);
    expect(figures(hlogRange(log, 5, 20))).toEqual(FROM_5_TO_20);
  });

  it("takes stamps far below the start time for relative to it", () => {
    const [first] = readHlog(PLAIN).intervals;
    expect(first?.startSeconds).toBe(0.127);
    expect(first?.absoluteStartSeconds).toBeCloseTo(1441812279.601, 3);
    expect([first?.lengthSeconds, first?.maxUnscaled, first?.tag]).toEqual([1.007, 2.769, undefined]);
    expect(first?.histogram().layout).toMatchObject({ lowestDiscernible: 20_000, significantDigits: 2 });
  });

  it("takes stamps for relative to a base time where there is one", () => {
    const [plain, based] = [readHlog(PLAIN), readHlog(WITH_BASE_TIME)];
    expect(figures(based.intervals)).toEqual(WHOLE);
    expect([based.startTime, based.baseTime]).toEqual([1441812279.474, 1441812123.123]);
    const shift = 1441812123.123 - 1441812279.474;
    for (const [i, interval] of based.intervals.entries()) {
      expect(interval.startSeconds).toBeCloseTo(plain.intervals[i]!.startSeconds + shift, 6);
      expect(interval.absoluteStartSeconds).toBeCloseTo(plain.intervals[i]!.absoluteStartSeconds + shift, 6);
      expect(cellsOf(interval.histogram())).toEqual(cellsOf(plain.intervals[i]!.histogram()));
    }
    expect(figures(hlogRange(based, 5 + shift, 20 + shift))).toEqual(FROM_5_TO_20);
  });

  it("keeps series of a tag apart", () => {
    const { intervals, problems } = readHlog(TAGGED);
    expect(problems).toEqual([]);
    expect(intervals).toHaveLength(42);
    const [untagged, tagged] = [undefined, "A"].map((tag) => intervals.filter((interval) => interval.tag === tag));
    expect([untagged?.length, tagged?.length]).toEqual([21, 21]);
    expect(accumulated(untagged!).total).toBeGreaterThan(0);
    expect(cellsOf(accumulated(untagged!))).toEqual(cellsOf(accumulated(tagged!)));
  });
});

describe("reading other logs", () => {
  const [line] = PLAIN.split("\n").filter((text) => text.startsWith("0.127"));
  const payload = line!.split(",")[3]!;

  it("takes stamps near or above the start time for absolute", () => {
    const log = readHlog(`#[StartTime: 1441812279.000 (seconds)]\n1441812289.500,1.0,2.0,${payload}\n`);
    expect(log.intervals[0]).toMatchObject({ startSeconds: 10.5, absoluteStartSeconds: 1441812289.5 });
    const early = readHlog(`#[StartTime: 1441812279.000 (seconds)]\n1441812269,1.0,2.0,${payload}\n`);
    expect(early.intervals[0]).toMatchObject({ startSeconds: -10, absoluteStartSeconds: 1441812269 });
  });

  it("takes the first stamp for the start where the log names none", () => {
    const log = readHlog(`50.5,1.0,2.0,${payload}\n51.5,1.0,2.0,${payload}`);
    expect(log.startTime).toBe(50.5);
    expect(log.intervals.map(({ startSeconds }) => startSeconds)).toEqual([0, 1]);
    expect(readHlog("")).toEqual({ intervals: [], problems: [] });
  });

  it("lists lines it cannot use and goes on", () => {
    const log = readHlog(
      `\uFEFF# comment\r\n"StartTimestamp","x"\r\nnonsense\r\n1,x,3,${payload}\r\n\r\n1,2,3,${payload}\r\n`,
    );
    expect(log.intervals).toHaveLength(1);
    expect(log.intervals[0]?.histogram().total).toBeGreaterThan(0);
    expect(log.problems.map(({ line }) => line)).toEqual([3, 4]);
    expect(log.problems[1]?.message).toBe('"x" is not a number');
  });

  it("decodes only on demand, and then says what is wrong", () => {
    const [interval] = readHlog("1,2,3,AAAA").intervals;
    expect(() => interval?.histogram()).toThrow(HdrFormatError);
  });
});

describe("writing", () => {
  const histogram = new Histogram();
  for (let i = 1; i <= 1000; i++) histogram.record(i * 1e5);
  const written = `${hlogHeader({ startTime: 1700000000.25, comments: ["one\ntwo", "[StartTime: 5]"] })}${hlogLine({
    startSeconds: 5,
    lengthSeconds: 0.5,
    histogram,
  })}${hlogLine({ tag: "service", startSeconds: 1800000.5, lengthSeconds: 1, histogram })}`;

  it("looks like an interval log of version 1.3", () => {
    expect(written.split("\n").slice(0, 7)).toEqual([
      "# one",
      "# two",
      "# [StartTime: 5]",
      "#[Histogram log format version 1.3]",
      "#[StartTime: 1700000000.250 (seconds since epoch), Tue, 14 Nov 2023 22:13:20 GMT]",
      "#[BaseTime: 1700000000.250 (seconds since epoch)]",
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]);
    expect(written).toContain("\n5.000,0.500,100.008,HISTF");
    expect(written).toContain("\nTag=service,1800000.500,1.000,100.008,HISTF");
  });

  it("is read back", () => {
    const log = readHlog(written);
    expect(log.problems).toEqual([]);
    expect(log.startTime).toBe(1700000000.25);
    expect(log.intervals.map(({ tag, startSeconds, lengthSeconds }) => [tag, startSeconds, lengthSeconds])).toEqual([
      [undefined, 5, 0.5],
      ["service", 1800000.5, 1],
    ]);
    for (const interval of log.intervals) expect(cellsOf(interval.histogram())).toEqual(cellsOf(histogram));
  });

  it("is read by the oracle", () => {
    const reader = new hdr.HistogramLogReader(written);
    for (const tag of ["NO TAG", "service"]) {
      const read = reader.nextIntervalHistogram();
      expect(read).toMatchObject({ tag, totalCount: 1000 });
      expect(read?.getValueAtPercentile(99)).toBe(histogram.valueAtPercentile(99));
    }
    expect(reader.nextIntervalHistogram()).toBeNull();
  });

  it("says in a comment what overflowed, and prints a finite maximum", () => {
    const over = new Histogram();
    for (const value of [5e6, 1e13, 1e13]) over.record(value);
    const text = hlogLine({ startSeconds: 0, lengthSeconds: 1, histogram: over });
    expect(text).toContain("#[Overflow: 2 values of 4398046511104 or more");
    expect(text).toContain("\n0.000,1.000,4398046.511,HISTF");
    expect(readHlog(text)).toMatchObject({ problems: [], intervals: [{ lengthSeconds: 1 }] });
    expect(hlogLine({ startSeconds: 0, lengthSeconds: 1, histogram: new Histogram() })).toMatch(/^0.000,1.000,0.000,/);
  });

  it("refuses tags that would break the line apart", () => {
    for (const tag of ["", "a,b", "a b", "a\nb"]) {
      expect(() => hlogLine({ tag, startSeconds: 0, lengthSeconds: 1, histogram })).toThrow(RangeError);
    }
  });
});
