import { Histogram } from "../hdr/histogram.js";
import { LATENCY_LAYOUT } from "../hdr/layout.js";

/** Numbers a worker counts as it goes; one writer each, read by anyone. */
export const COUNTERS = [
  "scheduled",
  "ok",
  "errors",
  "timeouts",
  "unfinished",
  "sent",
  "warmupScheduled",
  "warmupOk",
  "warmupErrors",
  "warmupTimeouts",
  "warmupUnfinished",
  "warmupSent",
  /** Sent, and then failed: they took infinitely long on the service clock. */
  "serviceFailed",
  "sentByEnd",
  "answeredByEnd",
  "lastSentNs",
  "lastDoneNs",
  "attempts",
  "staleRetries",
  "cancelled",
  "connectionsOpened",
  "connectionsReused",
  "connectionsLost",
  "connectionsClosed",
  "connectFailures",
  "connectionsAlive",
  "bodyBytes",
  "heldBack",
  /** Due and not ended, now. */
  "inFlight",
  /** Time-integral of the requests in flight, by counting them and not by their clocks: the L of Little's law. */
  "inFlightNs",
  "pauses",
  "pausedNs",
  "longestPauseNs",
] as const;

export type CounterName = (typeof COUNTERS)[number];

/** The histograms of the whole run, warm-up excluded. `responseCensored` and `serviceCensored` hold lower bounds. */
export const RUN_HISTOGRAMS = [
  "response",
  "responseCensored",
  "service",
  "serviceCensored",
  "sendLag",
  "alone",
  "lateness",
  "queue",
  "connect",
  "firstByte",
  "transfer",
  "corrected",
] as const;

export type RunHistogram = (typeof RUN_HISTOGRAMS)[number];

/**
 * A worker's running totals in shared memory. The coordinator reads them for the live view while they change, and for
 * the final numbers once the worker has said that it is done; they outlive a worker that crashes.
 */
export class RunCells {
  static readonly bytes = COUNTERS.length * 8 + RUN_HISTOGRAMS.length * Histogram.bytesFor(LATENCY_LAYOUT);

  readonly counters: Float64Array;
  readonly histograms: Readonly<Record<RunHistogram, Histogram>>;

  constructor(memory: SharedArrayBuffer) {
    this.counters = new Float64Array(memory, 0, COUNTERS.length);
    const histogramBytes = Histogram.bytesFor(LATENCY_LAYOUT);
    this.histograms = Object.fromEntries(
      RUN_HISTOGRAMS.map((name, i) => [
        name,
        new Histogram(LATENCY_LAYOUT, memory, COUNTERS.length * 8 + i * histogramBytes),
      ]),
    ) as Record<RunHistogram, Histogram>;
  }

  get(name: CounterName): number {
    return this.counters[COUNTER_INDEX[name]] ?? 0;
  }
}

/** Where each counter lies in `RunCells.counters`. */
export const COUNTER_INDEX = Object.fromEntries(COUNTERS.map((name, i) => [name, i])) as Readonly<
  Record<CounterName, number>
>;
