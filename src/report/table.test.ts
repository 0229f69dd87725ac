import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignColumns, widthOf, wrap } from "./table.js";

const RED = "\u001b[31m";
const DIM = "\u001b[2m";
const coloured = (text: string, code = RED) => `${code}${text}\u001b[39m`;
const plain = (text: string) => [RED, DIM, "\u001b[39m"].reduce((rest, code) => rest.replaceAll(code, ""), text);

describe("widthOf", () => {
  it.each([
    ["", 0],
    ["p99", 3],
    [coloured("p99"), 3],
    [`${coloured("a")} ${coloured("b", "\u001b[38;5;208m")}`, 3],
    ["≥ 5.02 µs", 9],
  ])("of %j is %d", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe("alignColumns", () => {
  it("sets the first column to the left, the others to the right", () => {
    expect(
      alignColumns([
        ["", "response", "n"],
        ["p50", "5 ms", "1,000"],
        ["p99.9", "–"],
        ["max", "1.25 s", ""],
      ]),
    ).toEqual([
      "       response      n", // one line a row
      "p50        5 ms  1,000",
      "p99.9         –",
      "max      1.25 s",
    ]);
  });

  it("gives colours no room", () => {
    const rows = [
      ["a", "long cell"],
      [coloured("bb"), coloured("x", DIM)],
    ];
    expect(alignColumns(rows).map(plain)).toEqual(alignColumns(rows.map((row) => row.map(plain))));
    expect(alignColumns(rows)[1]).toContain(coloured("bb"));
  });

  it("has as much room between columns as is asked for", () => {
    expect(alignColumns([["a", "b"]], 4)).toEqual(["a    b"]);
    expect(alignColumns([])).toEqual([]);
    expect(alignColumns([[], ["a"]])).toEqual(["", "a"]);
  });

  it("ends each column at one place", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "7", "µ"), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 }), (rows) => {
        const lines = alignColumns(rows);
        expect(new Set(lines.map(widthOf)).size).toBe(1);
        const secondEnds = lines.map((line, i) => line.lastIndexOf("  ", line.length - rows[i]![2]!.length));
        for (const [i, line] of lines.entries()) {
          expect(line.split(/ +/)).toEqual(rows[i]);
          expect(secondEnds[i]).toBeLessThan(line.length);
        }
      }),
    );
  });
});

describe("wrap", () => {
  it.each<readonly [string, number, string, readonly string[]]>([
    ["", 10, "", [""]],
    ["one", 10, "", ["one"]],
    ["one two three", 7, "", ["one two", "three"]],
    ["one two three", 7, "  ", ["one two", "  three"]],
    ["one two three four", 8, "  ", ["one two", "  three", "  four"]],
    ["longer-than-that is", 6, "", ["longer-than-that", "is"]],
    ["an unbreakably-long-word", 6, "  ", ["an", "  unbreakably-long-word"]],
    ["code  message", 20, "", ["code  message"]],
    ["code  message", 8, "  ", ["code", "  message"]],
    ["code  message", 4, "", ["code", "message"]],
    ["code  message", 5, "", ["code", "message"]],
  ])("breaks %j at %d, later lines after %j", (text, width, indent, lines) => {
    expect(wrap(text, width, indent)).toEqual(lines);
  });

  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "µ"), minLength: 1, maxLength: 9 }), {
    minLength: 1,
  });

  it("has no line too wide, loses no word, and breaks no sooner than it must", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), fc.constantFrom("", "  "), (text, width, indent) => {
        const lines = wrap(text.join(" "), width, indent);
        expect(lines.join(" ").split(/ +/)).toEqual(text);
        for (const [i, line] of lines.entries()) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          const [next] = lines[i + 1]?.trimStart().split(" ") ?? [];
          if (next !== undefined) expect(widthOf(`${line} ${next}`)).toBeGreaterThan(width);
        }
      }),
    );
  });

  it("breaks coloured text where it breaks plain text", () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.integer({ min: 12, max: 40 }), (text, at, width) => {
        const colours = text.map((word, i) => (i === at % text.length ? coloured(word) : word)).join(" ");
        expect(wrap(colours, width, "  ").map(plain)).toEqual(wrap(plain(colours), width, "  "));
        expect(wrap(coloured(text.join(" ")), width).map(plain)).toEqual(wrap(text.join(" "), width));
      }),
    );
  });
});
