import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCount, formatRate, parseRate } from "./rate.js";

describe("parseRate", () => {
  it.each([
    ["50", 50],
    ["50/s", 50],
    ["50/S", 50],
    ["50/sec", 50],
    [" 50 ", 50],
    ["2.5k/s", 2500],
    ["2K", 2000],
    ["600/m", 10],
    ["600/min", 10],
    ["7200/h", 2],
    ["6/h", 6 / 3600],
    ["0.5", 0.5],
    ["1000000k", 1e9],
  ])("reads %j", (text, perSecond) => {
    expect(parseRate(text)).toEqual({ ok: true, value: perSecond });
  });

  it.each([
    ["0", /is not above zero/],
    ["0k/s", /is not above zero/],
    ["-5/s", /is not above zero/],
    ["", /is not a rate; write it like/],
    ["fast", /is not a rate/],
    ["50/d", /is not a rate/],
    ["50rps", /is not a rate/],
    ["1e3", /is not a rate/],
    ["50 /s", /is not a rate/],
    ["1000001k", /more than one in a nanosecond/],
    ["9".repeat(400), /more than one in a nanosecond/],
  ])("refuses %j and says why", (text, problem) => {
    expect(parseRate(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) as string });
  });
});

describe("formatCount", () => {
  it.each([
    [0, "0"],
    [7, "7"],
    [2.345, "2.35"],
    [9.996, "10"],
    [199.84, "199.8"],
    [999, "999"],
    [999.96, "1,000"],
    [1000, "1,000"],
    [1234.5, "1,235"],
    [60_000, "60,000"],
    [1_234_567, "1,234,567"],
    [-1234, "-1,234"],
    [0.5, "0.5"],
    [0.0999, "0.1"],
    [6 / 3600, "0.0017"],
    [1e-9, "0.000000001"],
  ])("writes %d as %j", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });

  it("says of no number that it is none", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (value) => Number(formatCount(value)) !== 0),
    );
  });

  it("keeps whole numbers whole", () => {
    fc.assert(fc.property(fc.maxSafeNat(), (n) => Number(formatCount(n).replaceAll(",", "")) === n));
  });
});

it("formatRate adds the unit", () => {
  expect(formatRate(1250)).toBe("1,250/s");
});
