import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatDuration,
  NS_PER_MS,
  NS_PER_S,
  NS_PER_US,
  parseDuration,
  significant,
  spellDuration,
} from "./duration.js";

const H = 3600 * NS_PER_S;
const M = 60 * NS_PER_S;

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["000", 0],
    ["0s", 0],
    ["1ns", 1],
    ["500us", 500 * NS_PER_US],
    ["500µs", 500 * NS_PER_US], // U+00B5, the micro sign
    ["500μs", 500 * NS_PER_US], // U+03BC, the Greek letter
    ["5ms", 5 * NS_PER_MS],
    ["1.5s", 1.5 * NS_PER_S],
    [" 30s ", 30 * NS_PER_S],
    ["2m", 2 * M],
    ["2min", 2 * M],
    ["90m", 90 * M],
    ["1m30s", 90 * NS_PER_S],
    ["1h2m3s4ms5us6ns", H + 2 * M + 3 * NS_PER_S + 4 * NS_PER_MS + 5 * NS_PER_US + 6],
    ["0.5h", 30 * M],
    ["0.1ns", 0],
    ["1.0005us", 1001],
    ["9000000.1s", 9_000_000_100_000_000],
  ])("reads %j", (text, ns) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ns });
  });

  it.each([
    ["30", /has no unit; write 30s, 30ms or 30us/],
    ["1.5", /has no unit; write 1.5s/],
    ["0.0", /has no unit/],
    ["-5s", /is negative/],
    ["", /is not a duration; write it like/],
    ["s", /is not a duration/],
    ["5 s", /is not a duration/],
    ["5S", /is not a duration/],
    ["5sec", /is not a duration/],
    [".5s", /is not a duration/],
    ["1.s", /is not a duration/],
    ["1e3s", /is not a duration/],
    ["30s!", /is not a duration/],
    ["1m-30s", /is not a duration/],
    ["Infinitys", /is not a duration/],
    ["9999999h", /is too long/],
    [`${"9".repeat(400)}h`, /is too long/],
  ])("refuses %j and says why", (text, problem) => {
    expect(parseDuration(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) as string });
  });

  it("quotes what it refuses", () => {
    expect(parseDuration(" 5 ")).toMatchObject({ problem: expect.stringContaining('" 5 "') as string });
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0 ns"],
    [0.4, "0 ns"],
    [-0.4, "0 ns"],
    [1, "1 ns"],
    [999, "999 ns"],
    [999.4, "999 ns"],
    [999.6, "1.00 µs"],
    [1234, "1.23 µs"],
    [12_345, "12.3 µs"],
    [99_960, "100 µs"],
    [999_400, "999 µs"],
    [999_600, "1.00 ms"],
    [5.02 * NS_PER_MS, "5.02 ms"],
    [9.996 * NS_PER_MS, "10.0 ms"],
    [950 * NS_PER_MS, "950 ms"],
    [999.4 * NS_PER_MS, "999 ms"],
    [999.6 * NS_PER_MS, "1.00 s"],
    [1.25 * NS_PER_S, "1.25 s"],
    [59.96 * NS_PER_S, "60.0 s"],
    [119.4 * NS_PER_S, "119 s"],
    [119.6 * NS_PER_S, "2m 00s"],
    [125 * NS_PER_S, "2m 05s"],
    [179.6 * NS_PER_S, "3m 00s"],
    [3599.4 * NS_PER_S, "59m 59s"],
    [3599.6 * NS_PER_S, "1h 00m"],
    [H + 29 * NS_PER_S, "1h 00m"],
    [H + 31 * NS_PER_S, "1h 01m"],
    [2 * H - NS_PER_S, "2h 00m"],
    [100 * H, "100h 00m"],
    [-1500, "-1.50 µs"],
    [-20 * NS_PER_MS, "-20.0 ms"],
    [-125 * NS_PER_S, "-2m 05s"],
    [Number.POSITIVE_INFINITY, "∞"],
    [Number.NaN, "–"],
  ])("writes %d ns as %j", (ns, text) => {
    expect(formatDuration(ns)).toBe(text);
  });

  it("is never off by more than half of its last digit", () => {
    const unitNs: Record<string, number> = { ns: 1, µs: NS_PER_US, ms: NS_PER_MS, s: NS_PER_S };
    fc.assert(
      fc.property(fc.double({ min: 1, max: 119.4 * NS_PER_S, noNaN: true }), (ns) => {
        const [number = "", unit = ""] = formatDuration(ns).split(" ");
        const decimals = number.split(".")[1]?.length ?? 0;
        expect(Math.abs(Number(number) * unitNs[unit]! - ns)).toBeLessThanOrEqual(
          0.500001 * 10 ** -decimals * unitNs[unit]!,
        );
        if (unit !== "ns") expect(number.replace(".", "")).toHaveLength(3);
      }),
    );
  });
});

describe("significant", () => {
  it.each([
    [0, "0"],
    [4.61, "4.61"],
    [46.1, "46.1"],
    [461, "461"],
    [4610, "4610"],
    [4614.6, "4615"],
    [999.4, "999"],
    [999.6, "1000"],
    [99.96, "100"],
    [9.996, "10.0"],
    [0.9996, "1.00"],
    [0.0461, "0.0461"],
    [1, "1.00"],
    [10, "10.0"],
    [100, "100"],
    [1000, "1000"],
    [-4.614, "-4.61"],
  ])("writes %d as %j", (value, text) => {
    expect(significant(value)).toBe(text);
  });
});

describe("spellDuration", () => {
  it.each([
    [0, "0s"],
    [1, "1ns"],
    [1500, "1500ns"],
    [1500 * NS_PER_US, "1500us"],
    [5 * NS_PER_MS, "5ms"],
    [100 * NS_PER_MS, "100ms"],
    [NS_PER_S, "1s"],
    [1.5 * NS_PER_S, "1.5s"],
    [30 * NS_PER_S, "30s"],
    [90 * NS_PER_S, "90s"],
    [2 * M, "2m"],
    [90 * M, "90m"],
    [H, "1h"],
    [2500 * H + 1, "9000000000000001ns"],
  ])("spells %d ns as %s", (ns, text) => {
    expect(spellDuration(ns)).toBe(text);
  });

  it("is read back exactly", () => {
    const round = fc
      .tuple(fc.integer({ min: 0, max: 9_000_000 }), fc.constantFrom(1, NS_PER_US, NS_PER_MS, NS_PER_S / 10, NS_PER_S))
      .map(([count, unit]) => count * unit);
    fc.assert(
      fc.property(fc.oneof(round, fc.maxSafeNat()), (ns) => {
        expect(parseDuration(spellDuration(ns))).toEqual({ ok: true, value: ns });
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses fractions of a nanosecond", () => {
    expect(() => spellDuration(0.5)).toThrow(RangeError);
  });
});
