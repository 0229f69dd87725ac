import { LATENCY_LAYOUT, SparseHistogram } from "../hdr/index.js";
import { type MeasuredWindow, MOST_WINDOWS } from "../record/measurement.js";
import { NS_PER_MS } from "../units/duration.js";
import type { WindowCounts } from "./messages.js";

/**
 * The windows of a run as the workers hand them in, the workers' parts added up. Past 512 windows neighbours are added
 * and the width doubles, so that memory does not grow with the run's length.
 */
export class WindowGrid {
  private readonly baseWidthMs: number;
  /** How many of the workers' windows make one of these: a power of two. */
  private factor = 1;
  private sums = new Map<number, WindowSum>();

  constructor(baseWidthMs: number) {
    this.baseWidthMs = baseWidthMs;
  }

  add(window: WindowCounts): void {
    // An idle stretch costs nothing; the gaps are filled in at the end.
    if (window.scheduled === 0 && window.pauses === 0 && window.inFlightNs === 0) return;
    this.sumAt(Math.floor(window.index / this.factor)).add(window);
    while (this.span() > MOST_WINDOWS) this.widen();
  }

  /** Every window from the first to the last with a request in it, the empty ones between included. */
  measured(warmupMs: number): MeasuredWindow[] {
    const used = [...this.sums].filter(([, sum]) => sum.scheduled > 0).map(([index]) => index);
    if (used.length === 0) return [];
    const first = Math.min(0, ...used);
    const last = Math.max(...used);
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const sum = this.sums.get(first + i) ?? new WindowSum();
      return sum.measured(first + i, warmupMs, this.baseWidthMs * this.factor);
    });
  }

  private span(): number {
    const indices = [...this.sums.keys()];
    return Math.max(...indices) - Math.min(0, ...indices) + 1;
  }

  private widen(): void {
    const narrow = this.sums;
    this.sums = new Map();
    this.factor *= 2;
    for (const [index, sum] of narrow) this.sumAt(Math.floor(index / 2)).add(sum);
  }

  private sumAt(index: number): WindowSum {
    let sum = this.sums.get(index);
    if (sum === undefined) {
      sum = new WindowSum();
      this.sums.set(index, sum);
    }
    return sum;
  }
}

/** Neighbouring windows of all workers, added. */
class WindowSum {
  scheduled = 0;
  ok = 0;
  errors = 0;
  timeouts = 0;
  unfinished = 0;
  sent = 0;
  serviceFailed = 0;
  pauses = 0;
  pausedNs = 0;
  longestPauseNs = 0;
  inFlightNs = 0;
  inFlightAtStart = 0;
  inFlightAtEnd = 0;
  firstIndex = Number.POSITIVE_INFINITY;
  lastIndex = Number.NEGATIVE_INFINITY;
  readonly response = new SparseHistogram(LATENCY_LAYOUT);
  readonly responseCensored = new SparseHistogram(LATENCY_LAYOUT);
  readonly service = new SparseHistogram(LATENCY_LAYOUT);
  readonly serviceCensored = new SparseHistogram(LATENCY_LAYOUT);

  add(part: WindowCounts | WindowSum): void {
    this.scheduled += part.scheduled;
    this.ok += part.ok;
    this.errors += part.errors;
    this.timeouts += part.timeouts;
    this.unfinished += part.unfinished;
    this.sent += part.sent;
    this.serviceFailed += part.serviceFailed;
    this.pauses += part.pauses;
    this.pausedNs += part.pausedNs;
    this.longestPauseNs = Math.max(this.longestPauseNs, part.longestPauseNs);
    this.inFlightNs += part.inFlightNs;
    const [first, last] = part instanceof WindowSum ? [part.firstIndex, part.lastIndex] : [part.index, part.index];
    this.inFlightAtStart = edge(first - this.firstIndex, this.inFlightAtStart, part.inFlightAtStart);
    this.inFlightAtEnd = edge(this.lastIndex - last, this.inFlightAtEnd, part.inFlightAtEnd);
    this.firstIndex = Math.min(this.firstIndex, first);
    this.lastIndex = Math.max(this.lastIndex, last);
    for (const clock of ["response", "responseCensored", "service", "serviceCensored"] as const) {
      const cells = part[clock];
      this[clock].add(cells instanceof SparseHistogram ? cells : new SparseHistogram(LATENCY_LAYOUT, cells));
    }
  }

  measured(index: number, warmupMs: number, widthMs: number): MeasuredWindow {
    const { scheduled, ok, errors, timeouts, unfinished, sent } = this;
    return {
      startMs: warmupMs + index * widthMs,
      widthMs,
      warmup: index < 0,
      requests: { scheduled, ok, errors, timeouts, unfinished, sent, unsent: scheduled - sent },
      response: { known: this.response, censored: this.responseCensored, failed: errors },
      service: { known: this.service, censored: this.serviceCensored, failed: this.serviceFailed },
      pauses: {
        count: this.pauses,
        totalMs: this.pausedNs / NS_PER_MS,
        maxMs: this.longestPauseNs / NS_PER_MS,
      },
      inFlight: {
        atStart: this.inFlightAtStart,
        atEnd: this.inFlightAtEnd,
        meanOverWindow: this.inFlightNs / NS_PER_MS / widthMs,
      },
    };
  }
}

/** The edge that lies farther out counts; at the same place workers add up. @param inward how far the new one lies inside */
function edge(inward: number, old: number, added: number): number {
  if (inward === 0) return old + added;
  return inward > 0 ? old : added;
}
