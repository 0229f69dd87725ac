import type { Distribution } from "./distribution.js";

export interface HgrmOptions {
  /** Lines for each halving of the distance to 100 %; 5 unless given. */
  readonly ticksPerHalfDistance?: number;
  /** By how much values are divided; 10^6, nanoseconds to milliseconds, unless given. */
  readonly unitRatio?: number;
}

/**
 * The percentile distribution as text, in the `.hgrm` format of HdrHistogram's `outputPercentileDistribution`, which its plotters
 * read: value, percentile, count so far, 1/(1 − percentile).
 *
 * Where values overflowed the lines end below 100 %, at the highest value known, and a comment says how many are missing.
 */
export function formatHgrm(distribution: Distribution, options: HgrmOptions = {}): string {
  const { ticksPerHalfDistance = 5, unitRatio = 1e6 } = options;
  const { layout, overflow, total } = distribution;
  const number = (value: number) => (value / unitRatio).toFixed(layout.significantDigits).padStart(12);
  const whole = (value: number) => String(value).padStart(12);
  const known = (value: number) => number(Number.isNaN(value) ? 0 : value);

  const lines = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""];
  for (const { value, level, reached } of percentileSteps(distribution, total, ticksPerHalfDistance)) {
    const row = `${number(value)} ${level.toFixed(12)} ${String(reached).padStart(10)}`;
    lines.push(level < 1 ? `${row} ${(1 / (1 - level)).toFixed(2).padStart(14)}` : row);
  }
  lines.push(
    `#[Mean    = ${known(distribution.mean)}, StdDeviation   = ${known(distribution.stdev)}]`,
    `#[Max     = ${known(distribution.max)}, Total count    = ${whole(total)}]`,
    `#[Buckets = ${whole(layout.bucketCount)}, SubBuckets     = ${whole(2 * layout.halfCount)}]`,
  );
  if (overflow > 0) lines.push(`#[Overflow = ${whole(overflow)}, At or above    = ${number(layout.limit)}]`);
  return `${lines.join("\n")}\n`;
}

interface PercentileStep {
  readonly value: number;
  /** From 0 to 1. */
  readonly level: number;
  /** How many values do not exceed `value`. */
  readonly reached: number;
}

/**
 * Levels at even steps within each half of what is left to 100 %: with t ticks a half-distance the step at level l (percent) is
 * 100 / (t·2^(⌊log2(100/(100−l))⌋+1)). Each is given the first cell that reaches it, and the last cell 100 %.
 */
function percentileSteps(distribution: Distribution, total: number, ticks: number): PercentileStep[] {
  const steps: PercentileStep[] = [];
  let percent = 0;
  let reached = 0;
  distribution.forEachCell((index, count) => {
    reached += count;
    const value = distribution.layout.highestAt(index);
    while ((100 * reached) / total >= percent) {
      steps.push({ value, level: percent / 100, reached });
      percent += 100 / (ticks * 2 ** (Math.floor(Math.log2(100 / (100 - percent))) + 1));
      if (reached === total) break;
    }
    if (reached === total) steps.push({ value, level: 1, reached });
  });
  return steps;
}
