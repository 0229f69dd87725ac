import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSchedule, type ScheduleDescription } from "./schedule.js";

const base: ScheduleDescription = {
  arrivals: "poisson",
  ratePerS: 1000,
  seed: 1,
  durationNs: 1e9,
  requests: Number.POSITIVE_INFINITY,
  share: { index: 0, of: 1 },
};

function all(description: Partial<ScheduleDescription>, chunk = 100): number[] {
  const cursor = openSchedule({ ...base, ...description });
  const times: number[] = [];
  const into = new Float64Array(chunk);
  for (let n = cursor.next(into); n > 0; n = cursor.next(into)) times.push(...into.subarray(0, n));
  return times;
}

describe("constant arrivals", () => {
  it.each([
    [100, 1e9, 100, 990e6],
    [3, 1e9, 3, 666666667],
    [0.5, 4e9, 2, 2e9],
  ])("at %d/s over %d ns: %d arrivals, the last at %d ns", (ratePerS, durationNs, count, last) => {
    const times = all({ arrivals: "constant", ratePerS, durationNs });
    expect(times).toHaveLength(count);
    expect(times.at(-1)).toBe(last);
    expect(times[0]).toBe(0);
  });

  it("does not drift over 24 hours at a rate whose interval is no whole number of nanoseconds", () => {
    const day = 24 * 3600;
    const cursor = openSchedule({ ...base, arrivals: "constant", ratePerS: 30.3, durationNs: day * 1e9 });
    const into = new Float64Array(10_000);
    let count = 0;
    let last = 0;
    for (let n = cursor.next(into); n > 0; n = cursor.next(into)) {
      count += n;
      last = into[n - 1] ?? 0;
    }
    expect(count).toBe(30.3 * day);
    expect(last).toBe(Math.round(((count - 1) / 30.3) * 1e9));
  });
});

describe("Poisson arrivals", () => {
  it("have exponential gaps: mean and variance within 5 standard errors, and the shape by Kolmogorov distance", () => {
    const times = all({ durationNs: 100e9 });
    const gaps = times.map((time, i) => time - (times[i - 1] ?? 0)).map((gap) => gap / 1e6);
    const n = gaps.length;
    expect(Math.abs(n - 100_000)).toBeLessThan(5 * Math.sqrt(100_000));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / n;
    expect(Math.abs(mean - 1)).toBeLessThan(5 / Math.sqrt(n));
    const sorted = gaps.toSorted((a, b) => a - b);
    const distance = Math.max(...sampled(sorted).map(([rank, gap]) => Math.abs(rank / n - (1 - Math.exp(-gap)))));
    expect(distance).toBeLessThan(1.95 / Math.sqrt(n) + 1e-3);
  });

  it("depend on the seed, and on nothing else", () => {
    expect(all({ seed: 7 })).toEqual(all({ seed: 7 }, 7));
    expect(all({ seed: 7 })).not.toEqual(all({ seed: 8 }));
  });

  it("do not drift over 24 hours", () => {
    const cursor = openSchedule({ ...base, ratePerS: 10, durationNs: 24 * 3600e9 });
    const into = new Float64Array(10_000);
    let count = 0;
    for (let n = cursor.next(into); n > 0; n = cursor.next(into)) count += n;
    expect(Math.abs(count - 864_000)).toBeLessThan(5 * Math.sqrt(864_000));
  });
});

/** Every hundredth order statistic, with its rank. */
const sampled = (sorted: number[]) => sorted.flatMap((gap, i) => (i % 100 === 0 ? [[i + 1, gap] as const] : []));

describe("shares", () => {
  it("of any number add up to the same schedule, and limits count all of them", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("poisson" as const, "constant" as const),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer(),
        (arrivals, of, ratePerS, requests, seed) => {
          const whole = all({ arrivals, ratePerS, requests, seed });
          const parts = Array.from({ length: of }, (_, index) =>
            all({ arrivals, ratePerS, requests, seed, share: { index, of } }, 13),
          );
          expect(parts.flat().sort((a, b) => a - b)).toEqual(whole);
          expect(whole.length).toBeLessThanOrEqual(requests);
        },
      ),
    );
  });
});

it("ends for good: a finished cursor yields nothing more", () => {
  for (const arrivals of ["poisson", "constant"] as const) {
    const cursor = openSchedule({ ...base, arrivals, durationNs: 1e8 });
    const into = new Float64Array(1000);
    expect(cursor.next(into)).toBeGreaterThan(0);
    expect(cursor.next(into)).toBe(0);
    expect(cursor.next(into)).toBe(0);
  }
});
