import { NS_PER_S } from "../units/duration.js";
import type { Ending } from "./job.js";

/** What admission looks at. */
export interface QueueState {
  readonly waiting: number;
  readonly hasFreeWorker: boolean;
}

/**
 * Lets a request in, or says how it is turned away. The rate limit comes first, as a gateway stands before its
 * server; a request it let through has used up its token even if the queue is full then.
 */
export class Admission {
  private readonly bucket: TokenBucket | undefined;
  private readonly queueLimit: number;

  /**
   * @param limitPerS 0 for none
   * @param queueLimit how many may wait for a worker
   */
  constructor(limitPerS: number, queueLimit: number | undefined) {
    this.bucket = limitPerS > 0 ? new TokenBucket(limitPerS) : undefined;
    this.queueLimit = queueLimit ?? Number.POSITIVE_INFINITY;
  }

  /** @returns why not, or `undefined` for admitted. */
  refusal(nowNs: number, queue: QueueState): Ending | undefined {
    const shortOfNs = this.bucket?.take(nowNs) ?? 0;
    if (shortOfNs > 0) return { kind: "over-limit", retryAfterS: Math.ceil(shortOfNs / NS_PER_S) };
    if (!queue.hasFreeWorker && queue.waiting >= this.queueLimit) return { kind: "queue-full" };
    return undefined;
  }
}

/**
 * Tokens flow in at a steady rate into a bucket that holds one second's worth, at least one; it starts full. Kept as
 * the single time at which it would be full again (the "generic cell rate algorithm", ITU-T I.371): nothing to refill.
 */
export class TokenBucket {
  private readonly intervalNs: number;
  private readonly depthNs: number;
  private fullAtNs = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.intervalNs = NS_PER_S / perSecond;
    this.depthNs = Math.max(NS_PER_S, this.intervalNs);
  }

  /** Takes a token. @returns 0, or if there is none, the nanoseconds until there is one. */
  take(nowNs: number): number {
    const fullAtNs = Math.max(this.fullAtNs, nowNs) + this.intervalNs;
    const shortOfNs = fullAtNs - nowNs - this.depthNs;
    // Sums of fractional intervals come out a hair beside the whole second: a nanosecond is no reason to refuse.
    if (shortOfNs > 1) return shortOfNs;
    this.fullAtNs = fullAtNs;
    return 0;
  }
}
