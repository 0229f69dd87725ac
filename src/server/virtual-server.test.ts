import { describe, expect, it } from "vitest";
import { createArrivalDraws } from "../random/arrival-draws.js";
import type { Behaviour } from "./behaviour.js";
import { DEFAULT_SERVER_CONFIG } from "./config.js";
import type { Job } from "./job.js";
import { VirtualServer } from "./virtual-server.js";

const MS = 1_000_000;
const S = 1000 * MS;
const CONST: Partial<Behaviour> = { service: { kind: "const", meanNs: 5 * MS } };

/** Requests at the given times (ms), then time passes until all have ended. @returns the jobs, in order of arrival. */
function run(knobs: Partial<Behaviour>, arrivalsMs: readonly number[], key: (i: number) => string = () => "/") {
  const ended: Job<number>[] = [];
  const server = new VirtualServer<number>({ ...DEFAULT_SERVER_CONFIG, ...knobs }, (job) => ended.push(job));
  const jobs = arrivalsMs.map((ms, i) => server.arrive(ms * MS, key(i), i));
  server.advance(Number.POSITIVE_INFINITY);
  expect(ended.length).toBe(jobs.length);
  expect(new Set(ended)).toEqual(new Set(jobs));
  return jobs;
}

const every = (stepMs: number, n: number) => Array.from({ length: n }, (_, i) => i * stepMs);
const serviceMs = (job: Job<number>) => (job.endNs - job.startNs) / MS;
const waitMs = (job: Job<number>) => (job.startNs - job.arrivedNs) / MS;
const kinds = (jobs: readonly Job<number>[]) => jobs.map((job) => job.ending.kind);

describe("VirtualServer", () => {
  it("serves the i-th arrival the i-th draw of the seed", () => {
    const next = createArrivalDraws(DEFAULT_SERVER_CONFIG, 42);
    const expected = Array.from({ length: 200 }, () => next("/").serviceNs);
    expect(run({ seed: 42, workers: 0 }, every(3, 200)).map((job) => job.endNs - job.startNs)).toEqual(expected);
    // Refused ones use up their draw too: those let in are served as if nobody had been refused.
    const limited = run({ seed: 42, workers: 0, limitPerS: 20 }, every(3, 200));
    const served = limited.filter((job) => job.ending.kind === "served");
    expect(served.length).toBeGreaterThan(20);
    expect(served.length).toBeLessThan(40);
    for (const job of served) expect(job.endNs - job.startNs).toBe(expected[job.owner]);
  });

  it("ends at once what takes no time", () => {
    const server = new VirtualServer<string>(
      { ...DEFAULT_SERVER_CONFIG, service: { kind: "const", meanNs: 0 } },
      (job) => expect(job.owner).toBe("me"),
    );
    expect(server.arrive(5, "/", "me")).toMatchObject({ phase: "gone", startNs: 5, endNs: 5 });
    expect(server.nextNs).toBe(Number.POSITIVE_INFINITY);
  });

  it("anchors its freezes at the first arrival and lets nobody be answered in one", () => {
    const jobs = run({ ...CONST, workers: 0, stallEveryNs: 5 * S, stallNs: S / 2 }, [100, 5099, 5200, 5700]);
    expect(jobs.map(serviceMs)).toEqual([5, 505, 5, 5]);
    expect(jobs.map(waitMs)).toEqual([0, 0, 400, 0]);
  });

  it("turns away during a freeze only when it thaws", () => {
    const [, job] = run({ ...CONST, limitPerS: 0.1, stallEveryNs: 5 * S, stallNs: S / 2 }, [0, 5100]);
    expect(job).toMatchObject({ ending: { kind: "over-limit", retryAfterS: 5 }, endNs: 5.5 * S });
  });

  it("refuses with 503 those who find so many waiting", () => {
    expect(kinds(run({ ...CONST, queueLimit: 2 }, [0, 0, 0, 0, 4, 6]))).toEqual([
      "served",
      "served",
      "served",
      "queue-full",
      "queue-full",
      "served",
    ]);
  });

  it("makes slow ones take exactly that long, as often as asked", () => {
    const jobs = run({ ...CONST, workers: 0, slowProbability: 0.03, slowNs: 100 * MS }, every(1, 10_000));
    const slow = jobs.filter((job) => serviceMs(job) === 100).length;
    expect(jobs.filter((job) => serviceMs(job) === 5).length + slow).toBe(10_000);
    expect(Math.abs(slow - 300)).toBeLessThan(60);
  });

  it("by request, makes the same ones slow on every replica", () => {
    const knobs: Partial<Behaviour> = {
      ...CONST,
      workers: 0,
      slowProbability: 0.2,
      slowNs: 100 * MS,
      slowBy: "request",
    };
    const key = (i: number) => `/${i % 50}`;
    const [here, there] = [1, 2].map((seed) => run({ ...knobs, seed }, every(1, 200), key).map(serviceMs));
    expect(there).toEqual(here);
    expect(here?.slice(50, 100)).toEqual(here?.slice(0, 50));
    expect(new Set(here)).toEqual(new Set([5, 100]));
  });

  it("serves more slowly the more there are in the system", () => {
    expect(run({ ...CONST, workers: 0, loadFactor: 0.5 }, [0, 0, 0]).map(serviceMs)).toEqual([5, 7.5, 10]);
  });

  it("is cold at first and after an idle second", () => {
    const jobs = run({ ...CONST, cold: 2 }, [0, 100, 200, 1205, 3000]);
    // 205 to 1205 is a second exactly.
    expect(jobs.map(serviceMs)).toEqual([50, 27.5, 5, 50, 50]);
  });

  it("serialises those who need the mutex", () => {
    const jobs = run({ ...CONST, workers: 0, lockProbability: 1, lockNs: 40 * MS }, [0, 0, 0]);
    expect(jobs.map(waitMs)).toEqual([0, 40, 80]);
    expect(jobs.map(serviceMs)).toEqual([45, 45, 45]);
  });

  it("stays slower for a while after a refusal", () => {
    const knobs: Partial<Behaviour> = { ...CONST, queueLimit: 0, afterOverloadNs: S, afterOverloadFactor: 2 };
    const jobs = run(knobs, [0, 1, 500, 990, 1001]);
    expect(kinds(jobs)).toEqual(["served", "queue-full", "served", "served", "served"]);
    expect(jobs.map(serviceMs)).toEqual([5, 0, 10, 10, 5]);
  });

  it("counts more than ten waiting a worker as overload", () => {
    const knobs: Partial<Behaviour> = { ...CONST, afterOverloadNs: S, afterOverloadFactor: 3 };
    const jobs = run(
      knobs,
      Array.from({ length: 14 }, () => 0),
    );
    expect(jobs.map(serviceMs)).toEqual([...Array.from({ length: 12 }, () => 5), 15, 15]);
  });

  it("fails and resets as often as asked, after the work", () => {
    const jobs = run({ ...CONST, workers: 0, failProbability: 0.2, resetProbability: 0.1 }, every(1, 10_000));
    const share = (kind: string) => kinds(jobs).filter((found) => found === kind).length / jobs.length;
    expect(Math.abs(share("reset") - 0.1)).toBeLessThan(0.015);
    expect(Math.abs(share("failed") - 0.2 * 0.9)).toBeLessThan(0.015);
    expect(Math.abs(share("served") - 0.8 * 0.9)).toBeLessThan(0.015);
    expect(new Set(jobs.map(serviceMs))).toEqual(new Set([5]));
  });

  describe("cancel", () => {
    const create = (knobs: Partial<Behaviour> = {}) => {
      const ended: number[] = [];
      const server = new VirtualServer<number>({ ...DEFAULT_SERVER_CONFIG, ...CONST, ...knobs }, (job) =>
        ended.push(job.owner),
      );
      return { ended, server };
    };

    it("frees the worker for the next", () => {
      const { ended, server } = create();
      const first = server.arrive(0, "/", 1);
      const second = server.arrive(0, "/", 2);
      expect(server.cancel(first, 2 * MS)).toBe(true);
      expect(second).toMatchObject({ startNs: 2 * MS, endNs: 7 * MS });
      server.advance(7 * MS);
      expect(ended).toEqual([2]);
    });

    it("does nothing to what has ended by then, noticed or not", () => {
      const { ended, server } = create();
      const job = server.arrive(0, "/", 1);
      expect(server.cancel(job, 5 * MS)).toBe(false);
      expect(server.cancel(job, 6 * MS)).toBe(false);
      expect(ended).toEqual([1]);
    });

    it("takes back a refusal not yet spoken", () => {
      const { ended, server } = create({ limitPerS: 0.1, stallEveryNs: S, stallNs: S });
      server.arrive(0, "/", 1);
      const refused = server.arrive(1.5 * S, "/", 2);
      expect(server.nextNs).toBe(2 * S);
      expect(server.cancel(refused, 1.6 * S)).toBe(true);
      server.advance(10 * S);
      expect(ended).toEqual([1]);
    });
  });
});
