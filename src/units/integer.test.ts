import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseInteger } from "./integer.js";

const ANY = Number.MAX_SAFE_INTEGER;

describe("parseInteger", () => {
  it.each([
    ["0", 0],
    [" 7 ", 7],
    ["-3", -3],
    ["10k", 10_000],
    ["1.5k", 1500],
    ["1.001k", 1001],
    ["2.3M", 2_300_000],
    ["5.0", 5],
    ["9007199254740991", ANY],
  ])("reads %j", (text, value) => {
    expect(parseInteger(text, -10, ANY)).toEqual({ ok: true, value });
  });

  it.each(["", "1.5", "1.0001k", "1m", "1K", "0x10", "1e3", "ten", "1,000", "--1", "9007199254740992"])(
    "refuses %j",
    (text) => {
      expect(parseInteger(text, 0, ANY)).toEqual({
        ok: false,
        problem: `"${text}" is not a whole number of at least 0`,
      });
    },
  );

  it("has bounds, both included, and names them", () => {
    expect(parseInteger("1", 1, 256)).toMatchObject({ ok: true });
    expect(parseInteger("256", 1, 256)).toMatchObject({ ok: true });
    expect(parseInteger("0", 1, 256)).toEqual({ ok: false, problem: '"0" is not a whole number from 1 to 256' });
    expect(parseInteger("257", 1, 256)).toMatchObject({ ok: false });
  });

  it("reads thousands with any digits behind the point", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (n) => {
        expect(parseInteger(`${Math.floor(n / 1000)}.${String(n % 1000).padStart(3, "0")}k`, 0, ANY)).toEqual({
          ok: true,
          value: n,
        });
      }),
    );
  });
});
