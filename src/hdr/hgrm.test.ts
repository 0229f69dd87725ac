import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oracleOf, samples } from "./hdr.testkit.js";
import { formatHgrm } from "./hgrm.js";
import { Histogram } from "./histogram.js";
import { LATENCY_LAYOUT } from "./layout.js";

function recorded(values: readonly number[], layout = LATENCY_LAYOUT): Histogram {
  const histogram = new Histogram(layout);
  for (const value of values) histogram.record(value);
  return histogram;
}

describe("formatHgrm", () => {
  it("is the oracle's text, but for its maximum within the cell", () => {
    const ticks = fc.integer({ min: 1, max: 10 });
    const withoutMax = (text: string) => text.replace(/#\[Max +=.*?,/, "");
    fc.assert(
      fc.property(samples, ticks, ({ layout, values }, ticksPerHalfDistance) => {
        const oracle = oracleOf(layout);
        for (const value of values) oracle.recordValue(value);
        const ours = formatHgrm(recorded(values, layout), { ticksPerHalfDistance, unitRatio: 1 });
        expect(withoutMax(ours)).toBe(withoutMax(oracle.outputPercentileDistribution(ticksPerHalfDistance, 1)));
      }),
      { numRuns: 30 },
    );
  });

  it("prints milliseconds of nanoseconds, five ticks a half-distance", () => {
    const text = formatHgrm(recorded(Array.from({ length: 1000 }, (_, i) => (i + 1) * 1e6)));
    const lines = text.split("\n");
    expect(lines[0]).toBe("       Value     Percentile TotalCount 1/(1-Percentile)");
    expect(lines[2]).toBe("       1.000 0.000000000000          1           1.00");
    expect(lines[3]).toBe("     100.008 0.100000000000        100           1.11");
    expect(lines.filter((line) => /^ +[\d.]+ 0\.[0-4]/.test(line))).toHaveLength(5);
    expect(text).toContain("     500.171 0.500000000000        500           2.00\n");
    expect(text).toContain("    1000.342 1.000000000000       1000\n#[Mean    =      500.5");
    expect(text).toContain("#[Max     =     1000.342, Total count    =         1000]\n");
    expect(text).toContain("#[Buckets =           32, SubBuckets     =         2048]\n");
  });

  it("ends below 100 % where values overflowed, and says how many are missing", () => {
    const text = formatHgrm(
      recorded([...Array.from({ length: 90 }, () => 1e6), ...Array.from({ length: 10 }, () => 1e13)]),
    );
    const levels = text.split("\n").flatMap((line) => /^ +[\d.]+ ([\d.]+)/.exec(line)?.[1] ?? []);
    expect(Math.max(...levels.map(Number))).toBe(0.9);
    expect(text).toContain("#[Overflow =           10, At or above    =  4398046.511]");
    expect(text).toContain("Total count    =          100]");
  });

  it("has no lines for an empty histogram", () => {
    const text = formatHgrm(new Histogram());
    expect(text).toContain("\n\n#[Mean    =        0.000, StdDeviation   =        0.000]\n");
  });
});
