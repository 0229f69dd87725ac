import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSchedule } from "../schedule/schedule.js";
import { ClosedSource, OpenSource } from "./source.js";

const description = {
  arrivals: "poisson" as const,
  ratePerS: 5000,
  seed: 3,
  durationNs: 1e9,
  requests: Number.POSITIVE_INFINITY,
  share: { index: 1, of: 3 },
};

describe("an open source", () => {
  it("gives the schedule's times from the start, and their numbers", () => {
    const expected = new Float64Array(10_000);
    const count = openSchedule(description).next(expected);
    const source = new OpenSource(description, 500);
    for (let i = 0; i < count; i++) {
      expect(source.nextNs).toBe(500 + expected[i]!);
      expect(source.nextArrival).toBe(1 + 3 * i);
      source.take();
    }
    expect(source.exhausted).toBe(true);
    expect(source.nextNs).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts the overdue without holding them", () => {
    const times = new Float64Array(10_000);
    const count = openSchedule(description).next(times);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1.2e9 }), { minLength: 1, maxLength: 8 }),
        fc.nat(count),
        (moments, taken) => {
          const source = new OpenSource(description, 0);
          for (let i = 0; i < taken; i++) source.take();
          for (const atNs of moments.toSorted((a, b) => a - b)) {
            const due = times.subarray(0, count).filter((time) => time <= atNs).length;
            expect(source.overdue(atNs)).toBe(Math.max(0, due - taken));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("has nothing past a cut", () => {
    const source = new OpenSource(description, 0);
    source.cut(0.5e9);
    let last = 0;
    while (!source.exhausted) {
      last = source.nextNs;
      source.take();
    }
    expect(last).toBeLessThanOrEqual(0.5e9);
    expect(last).toBeGreaterThan(0.49e9);
  });
});

describe("a closed source", () => {
  const closed = {
    users: 3,
    thinkNs: 100,
    durationNs: 10_000,
    requests: Number.POSITIVE_INFINITY,
    share: { index: 0, of: 1 },
  };

  it("has each user send again one think time after the last end", () => {
    const source = new ClosedSource(closed, 1000);
    for (let user = 0; user < 3; user++) {
      expect(source.nextNs).toBe(1000);
      source.take();
    }
    expect(source.nextNs).toBe(Number.POSITIVE_INFINITY);
    source.ended(1500);
    source.ended(1600);
    expect(source.nextNs).toBe(1600);
    source.take();
    expect(source.nextNs).toBe(1700);
    expect(source.overdue(1699)).toBe(0);
    expect(source.overdue(1700)).toBe(1);
  });

  it("ends by time, by count, and by a cut", () => {
    const byTime = new ClosedSource({ ...closed, users: 1 }, 0);
    byTime.take();
    expect(byTime.exhausted).toBe(false);
    byTime.ended(9901);
    expect(byTime.exhausted).toBe(true);
    const byCount = new ClosedSource({ ...closed, requests: 2 }, 0);
    byCount.take();
    byCount.take();
    expect(byCount.exhausted).toBe(true);
    const cut = new ClosedSource(closed, 0);
    cut.cut(5);
    expect(cut.exhausted).toBe(true);
  });
});
