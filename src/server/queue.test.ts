import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSampler } from "../random/distribution.js";
import { createRandom } from "../random/random.js";
import { NEVER_FROZEN, PeriodicFreezes } from "./freezes.js";
import { Queue } from "./queue.js";
import { jobOf, kieferWolfowitz, runQueue, type Work } from "./queue.testkit.js";

const MS = 1_000_000;

const times = (jobs: readonly { startNs: number; endNs: number }[]) =>
  jobs.map(({ startNs, endNs }) => ({ startNs, endNs }));

/** Works in order of arrival: gaps and lengths of a few nanoseconds, so that ties and idle times both happen. */
const someWorks = fc
  .array(fc.record({ gapNs: fc.nat(6), workNs: fc.nat(12) }), { maxLength: 60 })
  .map((steps): Work[] => {
    let arrivedNs = 0;
    return steps.map(({ gapNs, workNs }) => {
      arrivedNs += gapNs;
      return { arrivedNs, workNs };
    });
  });

function poissonWorks(n: number, meanGapNs: number, meanWorkNs: number, kind: "exp" | "const"): Work[] {
  const gaps = createRandom(1, "arrivals");
  const services = createRandom(1, "service");
  const gap = createSampler({ kind: "exp", meanNs: meanGapNs });
  const work = createSampler({ kind, meanNs: meanWorkNs });
  let arrivedNs = 0;
  return Array.from({ length: n }, () => {
    arrivedNs += gap(gaps);
    return { arrivedNs, workNs: work(services) };
  });
}

const meanTime = (works: readonly Work[], workers: number) =>
  runQueue(workers, works).reduce((sum, job) => sum + (job.endNs - job.arrivedNs), 0) / works.length;

describe("Queue", () => {
  it("follows the recursion of Kiefer and Wolfowitz to the nanosecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), someWorks, (workers, works) => {
        expect(times(runQueue(workers, works))).toEqual(kieferWolfowitz(workers, works));
      }),
    );
  });

  it("with any number of workers starts everyone at once", () => {
    fc.assert(
      fc.property(someWorks, (works) => {
        for (const job of runQueue(0, works)) expect(job.startNs).toBe(job.arrivedNs);
      }),
    );
  });

  it("gives the same times however late its owner looks at the clock", () => {
    const works: Work[] = Array.from({ length: 50 }, (_, i) => ({ arrivedNs: i, workNs: 10 }));
    const queue = new Queue<number>(2, NEVER_FROZEN, () => {});
    const jobs = works.map((work, i) => jobOf(i, work));
    for (const job of jobs) queue.arrive(job, job.arrivedNs);
    queue.advance(1e9);
    expect(times(jobs)).toEqual(kieferWolfowitz(2, works));
  });

  it("never does more than c/service, and just that when flooded", () => {
    for (const workers of [1, 3, 2000]) {
      const jobs = runQueue(
        workers,
        Array.from({ length: workers * 20 }, () => ({ arrivedNs: 0, workNs: 5 * MS })),
      );
      const lastNs = Math.max(...jobs.map((job) => job.endNs));
      expect(jobs.length / lastNs).toBe(workers / (5 * MS));
    }
  });

  // FIGURES: M/M/1 mean S/(1−ρ); M/D/1 by Pollaczek–Khinchine; M/M/c at ρ = 0.8 by Erlang C. S = 10 ms.
  it.each([
    ["M/M/1 at ρ = 0.5", 1, 0.5, "exp", 20],
    ["M/M/1 at ρ = 0.8", 1, 0.8, "exp", 50],
    ["M/D/1 at ρ = 0.8", 1, 0.8, "const", 30],
    ["M/M/4 at ρ = 0.8", 4, 0.8, "exp", 17.46],
  ] as const)("%s takes its closed form's mean time", (_, workers, utilization, kind, meanMs) => {
    const works = poissonWorks(400_000, (10 * MS) / utilization / workers, 10 * MS, kind);
    expect(Math.abs(meanTime(works, workers) / (meanMs * MS) - 1)).toBeLessThan(0.04);
  });

  it("counts who waits, who is in the system, and since when it is empty", () => {
    const queue = new Queue<number>(1, NEVER_FROZEN, () => {});
    for (const i of [0, 1, 2]) queue.arrive(jobOf(i, { arrivedNs: 0, workNs: 10 }), 0);
    expect([queue.waiting, queue.inSystem, queue.hasFreeWorker, queue.nextNs]).toEqual([2, 3, false, 10]);
    queue.advance(9);
    expect(queue.inSystem).toBe(3);
    queue.advance(10);
    expect([queue.waiting, queue.inSystem, queue.nextNs]).toEqual([1, 2, 20]);
    queue.advance(100);
    expect([queue.waiting, queue.inSystem, queue.hasFreeWorker, queue.idleSinceNs]).toEqual([0, 0, true, 30]);
    expect(queue.nextNs).toBe(Number.POSITIVE_INFINITY);
  });

  it("reports ends in order of time", () => {
    const ends: number[] = [];
    const queue = new Queue<number>(0, NEVER_FROZEN, (job) => ends.push(job.owner));
    [30, 10, 20].forEach((workNs, i) => {
      queue.arrive(jobOf(i, { arrivedNs: 0, workNs }), 0);
    });
    queue.advance(25);
    expect(ends).toEqual([1, 2]);
    queue.advance(30);
    expect(ends).toEqual([1, 2, 0]);
  });
});

describe("freezes", () => {
  it("stretch what they interrupt and delay what comes", () => {
    const freezes = new PeriodicFreezes(5000 * MS, 500 * MS);
    freezes.anchor(0);
    const jobs = runQueue(
      1,
      [
        { arrivedNs: 4998 * MS, workNs: 5 * MS },
        { arrivedNs: 5200 * MS, workNs: 5 * MS },
        { arrivedNs: 5600 * MS, workNs: 5 * MS },
      ],
      freezes,
    );
    expect(times(jobs)).toEqual([
      { startNs: 4998 * MS, endNs: 5503 * MS },
      { startNs: 5503 * MS, endNs: 5508 * MS },
      { startNs: 5600 * MS, endNs: 5605 * MS },
    ]);
  });

  it("is the plain queue in active time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        someWorks,
        fc.integer({ min: 1, max: 9 }),
        (workers, works, stallNs) => {
          const freezes = new PeriodicFreezes(7, stallNs);
          freezes.anchor(0);
          const frozen = runQueue(workers, works, freezes).map((job) => freezes.activeNs(job.endNs));
          const inActiveTime = works.map((work) => ({ ...work, arrivedNs: freezes.activeNs(work.arrivedNs) }));
          expect(frozen).toEqual(runQueue(workers, inActiveTime).map((job) => job.endNs));
        },
      ),
    );
  });
});

describe("the mutex", () => {
  it("is held by one at a time, in order of start, with its worker kept while waiting", () => {
    const jobs = runQueue(2, [
      { arrivedNs: 0, workNs: 5, lockNs: 40 },
      { arrivedNs: 0, workNs: 5, lockNs: 40 },
      { arrivedNs: 0, workNs: 5 },
    ]);
    expect(times(jobs)).toEqual([
      { startNs: 0, endNs: 45 },
      { startNs: 40, endNs: 85 },
      { startNs: 45, endNs: 50 },
    ]);
  });

  it("does not touch those who do not want it", () => {
    const jobs = runQueue(0, [
      { arrivedNs: 0, workNs: 5, lockNs: 40 },
      { arrivedNs: 1, workNs: 5 },
    ]);
    expect(jobs[1]).toMatchObject({ startNs: 1, endNs: 6 });
  });

  it("lets at most one through every hold", () => {
    const works = Array.from({ length: 20 }, (_, i) => ({ arrivedNs: i, workNs: 3, lockNs: 10 }));
    expect(runQueue(0, works).map((job) => job.endNs)).toEqual(works.map((_, i) => 10 * (i + 1) + 3));
  });
});

describe("cancelling", () => {
  it("of one that is served frees its worker at once", () => {
    const jobs = runQueue(1, [
      { arrivedNs: 0, workNs: 100, cancelNs: 30 },
      { arrivedNs: 10, workNs: 5 },
      { arrivedNs: 20, workNs: 5 },
    ]);
    expect(times(jobs.slice(1))).toEqual([
      { startNs: 30, endNs: 35 },
      { startNs: 35, endNs: 40 },
    ]);
  });

  it("of one that waits lets the others move up", () => {
    const jobs = runQueue(1, [
      { arrivedNs: 0, workNs: 100 },
      { arrivedNs: 10, workNs: 50, cancelNs: 60 },
      { arrivedNs: 20, workNs: 5 },
    ]);
    expect(jobs[1]?.startNs).toBeNaN();
    expect(jobs[2]).toMatchObject({ startNs: 100, endNs: 105 });
  });

  it("of one that holds the mutex, or waits for it, hands both mutex and worker on", () => {
    const jobs = runQueue(3, [
      { arrivedNs: 0, workNs: 1, lockNs: 100, cancelNs: 30 },
      { arrivedNs: 1, workNs: 1, lockNs: 100, cancelNs: 20 },
      { arrivedNs: 2, workNs: 1, lockNs: 10 },
      { arrivedNs: 3, workNs: 5 },
    ]);
    expect(times(jobs.slice(2))).toEqual([
      { startNs: 30, endNs: 41 },
      { startNs: 20, endNs: 25 },
    ]);
  });

  it("comes too late for one that has ended", () => {
    const [job] = runQueue(1, [{ arrivedNs: 0, workNs: 10, cancelNs: 10 }]);
    expect(job).toMatchObject({ startNs: 0, endNs: 10 });
  });

  it("leaves the queue as if those who left while waiting had never come", () => {
    const flags = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), someWorks, flags, (workers, works, leaves) => {
        // One long job for each worker, then all the others wait; those who leave do so before any of them starts.
        const blockers = Array.from({ length: workers }, () => ({ arrivedNs: 0, workNs: 1000 }));
        const others = works.map((work, i) => (leaves[i] ? { ...work, cancelNs: 900 } : work));
        const stayed = runQueue(workers, [...blockers, ...others]).filter((job) => !leaves[job.owner - workers]);
        const expected = kieferWolfowitz(workers, [...blockers, ...works.filter((_, i) => !leaves[i])]);
        expect(times(stayed)).toEqual(expected);
      }),
    );
  });
});
