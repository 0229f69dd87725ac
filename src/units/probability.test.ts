import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatShare, parseProbability } from "./probability.js";

describe("parseProbability", () => {
  it.each([
    ["0", 0],
    ["1", 1],
    ["0.03", 0.03],
    ["3%", 0.03],
    ["0%", 0],
    ["100%", 1],
    [" 2.5% ", 0.025],
  ])("reads %j", (text, fraction) => {
    expect(parseProbability(text)).toEqual({ ok: true, value: fraction });
  });

  it.each(["", "3", "1.1", "101%", "-1%", "3 %", "half", "%", "1e-3", ".5"])("refuses %j", (text) => {
    expect(parseProbability(text)).toEqual({
      ok: false,
      problem: expect.stringMatching(/is not a probability; write it like 0.03 or 3%/) as string,
    });
  });
});

describe("formatShare", () => {
  it.each([
    [0, "0 %"],
    [1, "100 %"],
    [0.031, "3.1 %"],
    [0.29, "29 %"],
    [0.5, "50 %"],
    [0.0004, "0.04 %"],
    [0.00001, "0.001 %"],
    [0.000009, "< 0.001 %"],
    [Number.MIN_VALUE, "< 0.001 %"],
    [0.9949, "99.49 %"],
    [0.9995, "99.95 %"],
    [0.99999, "99.999 %"],
    [0.999999, "> 99.999 %"],
    [1 - Number.EPSILON / 2, "> 99.999 %"],
    [1.00004, "100.004 %"],
    [1.5, "150 %"],
  ])("writes %d as %j", (fraction, text) => {
    expect(formatShare(fraction)).toBe(text);
  });

  it("calls only all 100 % and only nothing 0 %", () => {
    const nearEnds = fc.double({ min: 0, max: 0.02, noNaN: true }).map((x) => x ** 3);
    const shares = fc.oneof(
      nearEnds,
      nearEnds.map((x) => 1 - x),
      fc.double({ min: 0, max: 1, noNaN: true }),
    );
    fc.assert(
      fc.property(shares, (fraction) => {
        const text = formatShare(fraction);
        expect(text === "100 %").toBe(fraction === 1);
        expect(text === "0 %").toBe(fraction === 0);
      }),
      { numRuns: 1000 },
    );
  });

  it("is off by no more than half a tenth of a percent", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.00001, max: 0.99999, noNaN: true }), (fraction) => {
        const shown = Number(formatShare(fraction).replace(/^> /, "").replace(" %", ""));
        expect(Math.abs(shown - fraction * 100)).toBeLessThanOrEqual(0.0500001);
      }),
    );
  });
});
