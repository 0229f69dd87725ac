/**
 * When a whole server runs and when it stands still. Active time A(t) is the work one always-busy worker has done
 * since the anchor; it does not advance during a freeze:
 *
 *     A(t) │            ___/        runs everyNs, stands still stallNs, and so on:
 *          │      ___/              the period is everyNs + stallNs
 *          │    /
 *          │___/___________ t
 *
 * All times are integer nanoseconds of the caller's clock.
 */
export interface Freezes {
  /** Begins the first stretch of running; only the first call counts. Before it, nothing is frozen. */
  anchor(atNs: number): void;
  /** A(t): active time from the anchor to this clock reading. */
  activeNs(clockNs: number): number;
  /** The earliest clock reading at which so much active time has passed. */
  clockNs(activeNs: number): number;
  /** The reading itself, or if the server stands still then, the end of that freeze. */
  thawedNs(clockNs: number): number;
  /** When work of this length ends, begun at a clock reading at which the server runs. */
  finishNs(startNs: number, workNs: number): number;
}

export const NEVER_FROZEN: Freezes = {
  anchor: () => {},
  activeNs: (clockNs) => clockNs,
  clockNs: (activeNs) => activeNs,
  thawedNs: (clockNs) => clockNs,
  finishNs: (startNs, workNs) => startNs + workNs,
};

/** Freezes at regular intervals. The end of a freeze already belongs to the stretch of running that follows it. */
export class PeriodicFreezes implements Freezes {
  private readonly everyNs: number;
  private readonly periodNs: number;
  private anchorNs: number | undefined;

  /**
   * @param everyNs running time between two freezes, above zero
   * @param stallNs length of a freeze
   */
  constructor(everyNs: number, stallNs: number) {
    this.everyNs = everyNs;
    this.periodNs = everyNs + stallNs;
  }

  anchor(atNs: number): void {
    this.anchorNs ??= atNs;
  }

  activeNs(clockNs: number): number {
    const sinceNs = clockNs - (this.anchorNs ?? clockNs);
    const periods = Math.floor(sinceNs / this.periodNs);
    return periods * this.everyNs + Math.min(sinceNs - periods * this.periodNs, this.everyNs);
  }

  clockNs(activeNs: number): number {
    const anchorNs = this.anchorNs ?? 0;
    // A whole number of stretches is first reached as a freeze begins, not as it ends.
    const stretches = Math.max(0, Math.ceil(activeNs / this.everyNs) - 1);
    return anchorNs + stretches * this.periodNs + (activeNs - stretches * this.everyNs);
  }

  thawedNs(clockNs: number): number {
    const sinceNs = clockNs - (this.anchorNs ?? clockNs);
    const periods = Math.floor(sinceNs / this.periodNs);
    const frozen = sinceNs - periods * this.periodNs >= this.everyNs;
    return frozen ? clockNs - sinceNs + (periods + 1) * this.periodNs : clockNs;
  }

  finishNs(startNs: number, workNs: number): number {
    // No work, begun as a freeze ends, ends there too: the earliest reading with that active time lies before it.
    return Math.max(startNs, this.clockNs(this.activeNs(startNs) + workNs));
  }
}
