/**
 * Memory of overload: for a while after it, service is slower (a cold cache, connections to rebuild, a heap to
 * collect). This is what lets a burst outlive its cause. A moment of overload is an arrival that is refused, or that
 * finds more than ten waiting for each worker.
 */
export class OverloadMemory {
  private readonly lastsNs: number;
  private readonly slowdown: number;
  private untilNs = Number.NEGATIVE_INFINITY;

  constructor(lastsNs: number, slowdown: number) {
    this.lastsNs = lastsNs;
    this.slowdown = slowdown;
  }

  note(nowNs: number): void {
    this.untilNs = nowNs + this.lastsNs;
  }

  /** What service time is multiplied by now. */
  factor(nowNs: number): number {
    return nowNs < this.untilNs ? this.slowdown : 1;
  }
}

/** More than this many waiting for each worker are an overload. */
export const OVERLOAD_WAITING_PER_WORKER = 10;
