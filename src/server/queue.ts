import { DeadlineHeap } from "./deadline-heap.js";
import { Fifo } from "./fifo.js";
import type { Freezes } from "./freezes.js";
import type { Job } from "./job.js";

/**
 * First come, first served by c workers, in virtual time. Without mutex, freezes and cancelling, starts and ends are
 * those of the recursion of Kiefer and Wolfowitz,
 *
 *     start(i) = max(arrival(i), earliest time a worker is free),   end(i) = start(i) + work(i),
 *
 * so true capacity is exactly c/E[work], however late the caller looks at its clock: an event is handled at the time
 * it was due, never at the time it was noticed. It is run as events, not as that recursion, because a cancelled job
 * changes the times of all behind it.
 *
 * A job that wants the mutex takes its worker first and keeps it while it waits for the mutex, as a blocked thread
 * does; it holds the mutex for `lockNs`, lets go, and then works for `workNs`.
 */
export class Queue<Owner> {
  private readonly workers: number;
  private readonly freezes: Freezes;
  private readonly onEnd: (job: Job<Owner>) => void;
  private readonly waitingLine = new Fifo<Job<Owner>>();
  private readonly mutexLine = new Fifo<Job<Owner>>();
  private mutexHeld = false;
  private busy = 0;
  private readonly due = new DeadlineHeap<Job<Owner>>();
  private emptySinceNs = Number.NEGATIVE_INFINITY;

  /**
   * @param workers how many jobs run at once; 0 for any number
   * @param onEnd called by `advance` for each finished job, in order of `endNs`
   */
  constructor(workers: number, freezes: Freezes, onEnd: (job: Job<Owner>) => void) {
    this.workers = workers === 0 ? Number.POSITIVE_INFINITY : workers;
    this.freezes = freezes;
    this.onEnd = onEnd;
  }

  /** Jobs that wait for a worker. Those that wait for the mutex have one. */
  get waiting(): number {
    return this.waitingLine.size;
  }

  get inSystem(): number {
    return this.waitingLine.size + this.busy;
  }

  get hasFreeWorker(): boolean {
    return this.busy < this.workers;
  }

  /** When the last job left; −Infinity if none ever came. Only meaningful while nothing is in the system. */
  get idleSinceNs(): number {
    return this.emptySinceNs;
  }

  /** When `advance` next has something to do; `Infinity` for never. */
  get nextNs(): number {
    return this.due.earliestNs;
  }

  /** Adds a job. The queue must have been advanced to `nowNs`, which may not lie before an earlier call's. */
  arrive(job: Job<Owner>, nowNs: number): void {
    if (this.hasFreeWorker) {
      this.giveWorker(job, nowNs);
    } else {
      job.phase = "waiting";
      this.waitingLine.push(job);
    }
  }

  /** Handles all that was due up to and at `nowNs`. */
  advance(nowNs: number): void {
    while (this.due.size > 0 && this.due.earliestNs <= nowNs) {
      const atNs = this.due.earliestNs;
      const job = this.due.pop()!;
      if (job.phase === "holds-mutex") {
        this.work(job);
        this.releaseMutex(atNs);
      } else {
        job.phase = "gone";
        this.freeWorker(atNs);
        this.onEnd(job);
      }
    }
  }

  /** Takes a job out, wherever it is: whatever it held is free from `nowNs` on. `onEnd` is not called for it. */
  cancel(job: Job<Owner>, nowNs: number): void {
    const phase = job.phase;
    job.phase = "gone";
    job.endNs = nowNs;
    if (phase === "waiting") {
      this.waitingLine.remove(job);
      return;
    }
    if (phase === "wants-mutex") this.mutexLine.remove(job);
    else this.due.remove(job);
    if (phase === "holds-mutex") this.releaseMutex(nowNs);
    this.freeWorker(nowNs);
  }

  private giveWorker(job: Job<Owner>, atNs: number): void {
    this.busy++;
    if (job.lockNs === 0) {
      this.begin(job, atNs);
      this.work(job);
    } else if (this.mutexHeld) {
      job.phase = "wants-mutex";
      this.mutexLine.push(job);
    } else {
      this.takeMutex(job, atNs);
    }
  }

  private freeWorker(atNs: number): void {
    this.busy--;
    const next = this.waitingLine.shift();
    if (next !== undefined) this.giveWorker(next, atNs);
    else if (this.busy === 0) this.emptySinceNs = atNs;
  }

  private takeMutex(job: Job<Owner>, atNs: number): void {
    this.mutexHeld = true;
    this.begin(job, atNs);
    job.phase = "holds-mutex";
    this.due.push(job, this.freezes.finishNs(job.startNs, job.lockNs));
  }

  private releaseMutex(atNs: number): void {
    this.mutexHeld = false;
    const next = this.mutexLine.shift();
    if (next !== undefined) this.takeMutex(next, atNs);
  }

  /** The job has all it needs: from here on its end is fixed, whatever comes after it. */
  private begin(job: Job<Owner>, atNs: number): void {
    job.startNs = this.freezes.thawedNs(atNs);
    job.endNs = this.freezes.finishNs(this.freezes.finishNs(job.startNs, job.lockNs), job.workNs);
  }

  private work(job: Job<Owner>): void {
    job.phase = "working";
    this.due.push(job, job.endNs);
  }
}
