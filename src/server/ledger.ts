import { Histogram, histogramToBase64, LATENCY_LAYOUT } from "../hdr/index.js";
import { NS_PER_MS } from "../units/duration.js";
import type { Job } from "./job.js";

/** Times of one kind. Without samples there is no mean, no maximum and no percentile, rather than zeros. */
interface TimesSummary {
  readonly n: number;
  readonly meanMs: number | null;
  readonly maxMs: number | null;
  readonly percentiles: readonly { readonly p: number; readonly valueMs: number }[];
  /** HdrHistogram V2 compressed base64, in nanoseconds. */
  readonly histogram: string;
}

/**
 * What became of the arrivals: arrivals = completions + resets + refusedByLimit + refusedByQueue + cancelled + inFlight.
 */
export interface ServerCounts {
  readonly arrivals: number;
  /** Worked off and answered, if the client still was there; failed ones included. */
  readonly completions: number;
  /** Those of the completions that were failures on purpose. */
  readonly failures: number;
  /** Worked off, and the connection reset in place of an answer. */
  readonly resets: number;
  readonly refusedByLimit: number;
  readonly refusedByQueue: number;
  /** Stopped because the client hung up. */
  readonly cancelled: number;
  readonly inFlight: number;
  /** Clients that hung up before their answer, whether or not that stopped the work. */
  readonly hangups: number;
}

export interface ServerTimes {
  /** From arrival to the start of work: for a worker, for the mutex, for the end of a freeze. */
  readonly wait: TimesSummary;
  /** From the start of work to its end, freezes in between included. */
  readonly service: TimesSummary;
  /** Both. */
  readonly response: TimesSummary;
  /** From the time an answer was due to the time it had been handed to the socket. */
  readonly lateness: TimesSummary;
}

const PERCENTILES = [50, 90, 95, 99, 99.9];

/** The server's own record: what truly happened, for comparing with what a client says it saw. */
export class Ledger {
  private arrivals = 0;
  private completions = 0;
  private failures = 0;
  private resets = 0;
  private refusedByLimit = 0;
  private refusedByQueue = 0;
  private cancelled = 0;
  private hangups = 0;
  private readonly wait = new Histogram(LATENCY_LAYOUT);
  private readonly service = new Histogram(LATENCY_LAYOUT);
  private readonly response = new Histogram(LATENCY_LAYOUT);
  private readonly lateness = new Histogram(LATENCY_LAYOUT);

  arrived(): void {
    this.arrivals++;
  }

  /** A job came to its end, be it an answer, a reset or a refusal. */
  ended(job: Job<unknown>): void {
    switch (job.ending.kind) {
      case "over-limit":
        this.refusedByLimit++;
        return;
      case "queue-full":
        this.refusedByQueue++;
        return;
      case "reset":
        this.resets++;
        break;
      case "failed":
        this.failures++;
        this.completions++;
        break;
      case "served":
        this.completions++;
    }
    this.wait.record(job.startNs - job.arrivedNs);
    this.service.record(job.endNs - job.startNs);
    this.response.record(job.endNs - job.arrivedNs);
  }

  /** An answer due at `dueNs` had been handed to its socket at `nowNs`. */
  answered(dueNs: number, nowNs: number): void {
    this.lateness.record(Math.max(0, nowNs - dueNs));
  }

  hungUp(workStops: boolean): void {
    this.hangups++;
    if (workStops) this.cancelled++;
  }

  counts(): ServerCounts {
    const { arrivals, completions, failures, resets, refusedByLimit, refusedByQueue, cancelled, hangups } = this;
    const inFlight = arrivals - completions - resets - refusedByLimit - refusedByQueue - cancelled;
    return { arrivals, completions, failures, resets, refusedByLimit, refusedByQueue, cancelled, inFlight, hangups };
  }

  times(): ServerTimes {
    return {
      wait: summarise(this.wait),
      service: summarise(this.service),
      response: summarise(this.response),
      lateness: summarise(this.lateness),
    };
  }
}

function summarise(times: Histogram): TimesSummary {
  const n = times.total;
  const values = n === 0 ? [] : times.valuesAtPercentiles(PERCENTILES);
  return {
    n,
    meanMs: n === 0 ? null : times.mean / NS_PER_MS,
    maxMs: n === 0 ? null : times.max / NS_PER_MS,
    percentiles: values.map((valueNs, i) => ({ p: PERCENTILES[i]!, valueMs: valueNs / NS_PER_MS })),
    histogram: histogramToBase64(times),
  };
}
