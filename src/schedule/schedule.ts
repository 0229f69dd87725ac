import { createRandom } from "../random/random.js";

/** When requests are meant to go out. Plain data: equal descriptions give equal times, whatever the server does. */
export interface ScheduleDescription {
  readonly arrivals: "constant" | "poisson";
  /** Of all shares together. */
  readonly ratePerS: number;
  readonly seed: number;
  /** Times at or past this are not part of the schedule; `Infinity` for no end. */
  readonly durationNs: number;
  /** Arrivals of all shares together; `Infinity` for no limit. */
  readonly requests: number;
  /**
   * Which arrivals are ours: those whose number leaves `index` when divided by `of`. The arrivals of all shares
   * together are the same however many there are, so the number of threads or machines does not change an experiment.
   */
  readonly share: { readonly index: number; readonly of: number };
}

/** Reads a schedule from its start. Holds a position and a random state, never the whole run. */
export interface ScheduleCursor {
  /**
   * Writes the next intended times, in ns from the start, ascending, rounded to integers.
   *
   * @returns how many were written; less than `into.length` only at the end of the schedule
   */
  next(into: Float64Array): number;
}

/** Opens a cursor at the first arrival. */
export function openSchedule(description: ScheduleDescription): ScheduleCursor {
  return description.arrivals === "constant" ? new ConstantCursor(description) : new PoissonCursor(description);
}

/**
 * Arrival i at i / rate. Multiplied out, never summed up, so 24 hours drift by nothing: rounding an interval to whole
 * nanoseconds first would be off by 30 µs a minute at 1 µs gaps.
 */
class ConstantCursor implements ScheduleCursor {
  private readonly description: ScheduleDescription;
  private arrival: number;

  constructor(description: ScheduleDescription) {
    this.description = description;
    this.arrival = description.share.index;
  }

  next(into: Float64Array): number {
    const { ratePerS, durationNs, requests, share } = this.description;
    let written = 0;
    while (written < into.length && this.arrival < requests) {
      const atNs = (this.arrival / ratePerS) * 1e9;
      if (atNs >= durationNs) break;
      into[written++] = Math.round(atNs);
      this.arrival += share.of;
    }
    return written;
  }
}

/**
 * Independent exponential gaps, mean 1 / rate: the arrivals of many users who do not know of each other. Every share
 * draws the whole stream (some 10 ns a gap) and keeps its own arrivals.
 *
 * Gaps are summed in double precision: after 24 hours the sum's spacing is 1/64 ns.
 */
class PoissonCursor implements ScheduleCursor {
  private readonly description: ScheduleDescription;
  private readonly uniform: () => number;
  private readonly meanGapNs: number;
  private arrival = 0;
  private atNs = 0;

  constructor(description: ScheduleDescription) {
    this.description = description;
    this.meanGapNs = 1e9 / description.ratePerS;
    this.uniform = createRandom(description.seed, "arrivals").uniform;
  }

  next(into: Float64Array): number {
    const { durationNs, requests, share } = this.description;
    let written = 0;
    while (written < into.length && this.arrival < requests) {
      const atNs = this.atNs - Math.log(this.uniform()) * this.meanGapNs;
      if (atNs >= durationNs) {
        this.arrival = requests;
        break;
      }
      this.atNs = atNs;
      if (this.arrival % share.of === share.index) into[written++] = Math.round(atNs);
      this.arrival++;
    }
    if (written < into.length) this.arrival = Number.POSITIVE_INFINITY;
    return written;
  }
}
