import type { ArrivalDraw } from "../random/arrival-draws.js";
import { type Freezes, NEVER_FROZEN } from "./freezes.js";
import { Job } from "./job.js";
import { Queue } from "./queue.js";

const NO_DRAW: ArrivalDraw = { serviceNs: 0, slow: false, locks: false, fails: false, resets: false };

export interface Work {
  readonly arrivedNs: number;
  readonly workNs: number;
  readonly lockNs?: number;
  /** Clock reading at which its client hangs up. */
  readonly cancelNs?: number;
}

export function jobOf(index: number, work: Work): Job<number> {
  const job = new Job(index, work.arrivedNs, NO_DRAW);
  job.workNs = work.workNs;
  job.lockNs = work.lockNs ?? 0;
  return job;
}

/** Runs works, in order of arrival, through a queue on simulated time. @returns the jobs in that order. */
export function runQueue(workers: number, works: readonly Work[], freezes: Freezes = NEVER_FROZEN): Job<number>[] {
  const queue = new Queue<number>(workers, freezes, () => {});
  const jobs = works.map((work, i) => jobOf(i, work));
  const cancels = jobs.filter((_, i) => works[i]?.cancelNs !== undefined);
  cancels.sort((a, b) => works[a.owner]!.cancelNs! - works[b.owner]!.cancelNs!);
  const cancelUpTo = (nowNs: number) => {
    for (let job = cancels[0]; job !== undefined && works[job.owner]!.cancelNs! <= nowNs; job = cancels[0]) {
      cancels.shift();
      const atNs = works[job.owner]!.cancelNs!;
      queue.advance(atNs);
      if (job.phase !== "gone") queue.cancel(job, atNs);
    }
  };
  for (const job of jobs) {
    cancelUpTo(job.arrivedNs);
    queue.advance(job.arrivedNs);
    queue.arrive(job, job.arrivedNs);
  }
  cancelUpTo(Number.POSITIVE_INFINITY);
  queue.advance(Number.POSITIVE_INFINITY);
  return jobs;
}

/**
 * The recursion of Kiefer and Wolfowitz, written down as it stands in the books: each takes the worker that is free
 * first. @returns start and end of each.
 */
export function kieferWolfowitz(workers: number, works: readonly Work[]): { startNs: number; endNs: number }[] {
  const freeAtNs = Array.from({ length: workers }, () => 0);
  return works.map(({ arrivedNs, workNs }) => {
    const worker = freeAtNs.indexOf(Math.min(...freeAtNs));
    const startNs = Math.max(arrivedNs, freeAtNs[worker]!);
    const endNs = startNs + workNs;
    freeAtNs[worker] = endNs;
    return { startNs, endNs };
  });
}
