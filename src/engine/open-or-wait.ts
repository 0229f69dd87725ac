/** Weight of the newest in the running means. */
const NEWEST = 1 / 16;
/**
 * After opening connections, so many times as long is for other things. Each that opens asks for more to be opened; without a
 * rest, in a stall of the server, that is all the generator would do, and no answer would be read.
 */
const REST = 3;

/**
 * Whether a request that finds every connection busy should have one opened, or wait for one to come free.
 *
 * With b connections busy for a mean of s each, one comes free every s/b; if none has for longer, as in a freeze, that longer gap is
 * what to expect. The last of w waiting requests has a connection after w gaps. Where opening takes longer than that it gains nothing,
 * and costs some 60 µs of the time that due requests need: without this choice a short standstill of the generator grows
 * into a storm of connections that it never gets out of.
 */
export class OpenOrWait {
  private serviceNs = 0;
  private openingNs = 0;
  private lastDoneNs = Number.NEGATIVE_INFINITY;
  private lastLookNs = Number.NEGATIVE_INFINITY;
  /** None should be opened before. */
  restUntilNs = Number.NEGATIVE_INFINITY;

  /** A connection opened. */
  opened(openingNs: number): void {
    this.openingNs += (openingNs - this.openingNs) * (this.openingNs === 0 ? 1 : NEWEST);
  }

  /** A connection came free. */
  freed(serviceNs: number, atNs: number): void {
    this.serviceNs += (serviceNs - this.serviceNs) * NEWEST;
    this.lastDoneNs = atNs;
  }

  /** The sockets are about to be looked at: a connection that came free until now will be seen. */
  looking(nowNs: number): void {
    this.lastLookNs = nowNs;
  }

  /** Connections were begun to be opened, which took from `beganNs` to `endedNs`. */
  rest(beganNs: number, endedNs: number): void {
    this.restUntilNs = endedNs + REST * (endedNs - beganNs);
  }

  /**
   * @param waiting requests without a connection, at least 1
   * @param busy connections that carry one
   * @returns how long to wait before asking again; 0: open one now
   */
  waitNs(waiting: number, busy: number): number {
    if (busy === 0) return 0;
    // As of the last look: while the generator itself stood still, it could not see any come free.
    const gapNs = Math.max(this.serviceNs / busy, this.lastLookNs - this.lastDoneNs);
    return Math.max(0, this.openingNs / waiting - gapNs);
  }

  /** How long opening one takes. */
  get meanOpeningNs(): number {
    return this.openingNs;
  }
}
