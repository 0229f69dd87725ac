import type { Histogram } from "../hdr/index.js";
import { COUNTER_INDEX, type RunCells } from "./cells.js";
import type { FromWorker, Job, OutcomeCounts } from "./messages.js";
import { SAMPLE_COLUMNS } from "./messages.js";
import { type Slots, WAITING } from "./slots.js";
import { Windows } from "./windows.js";

const C = COUNTER_INDEX;
const SAMPLE_ROWS = 1024;
/** Three digits. */
const STATUS_CODES = 1000;

/** What ended a request: an answer with an expected status, one with another, a failure, the deadline, or the run. */
export type Outcome = "ok" | "error" | "timeout" | "unfinished";

/**
 * One worker's bookkeeping: every request enters by `scheduled` and leaves by `ended`, exactly once each. Everything
 * the record says is counted here; nothing is derived twice.
 */
export class Recorder {
  readonly outcomes: OutcomeCounts = { byStatus: {}, byError: {}, unsentBy: {}, warmupUnsentBy: {}, details: {} };
  readonly windows: Windows;
  readonly counters: Float64Array;
  private readonly histograms: RunCells["histograms"];
  private readonly corrected: Histogram | undefined;
  private readonly expectedIntervalNs: number;
  private readonly slots: Slots;
  private readonly send: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  private readonly startNs: number;
  private readonly measureNs: number;
  /** After this the schedule is over; what is sent or answered later was not done in time. */
  private endNs: number;
  /** Answers by status code; a tally by name would be looked up for every request. */
  private readonly statuses = new Float64Array(STATUS_CODES);
  private samples: Float64Array | undefined;
  private sampled = 0;

  constructor(job: Job, cells: RunCells, slots: Slots, startNs: number, send: (message: FromWorker) => void) {
    this.counters = cells.counters;
    this.histograms = cells.histograms;
    this.slots = slots;
    this.send = send;
    this.startNs = startNs;
    this.measureNs = startNs + job.warmupNs;
    this.endNs = startNs + job.durationNs;
    const interval = job.load.kind === "closed" ? job.load.expectedIntervalNs : null;
    this.corrected = interval === null ? undefined : cells.histograms.corrected;
    this.expectedIntervalNs = interval ?? 0;
    this.samples = job.samples ? new Float64Array(SAMPLE_ROWS * SAMPLE_COLUMNS.length) : undefined;
    this.windows = new Windows(startNs, this.measureNs, job.windowNs, (window) => send({ type: "window", window }));
  }

  cut(atNs: number): void {
    this.endNs = Math.min(this.endNs, atNs);
  }

  scheduled(slot: number, nowNs: number): void {
    const intendedNs = this.slots.intendedNs[slot]!;
    const window = this.windows.at(intendedNs);
    this.slots.window[slot] = window.index;
    window.scheduled++;
    window.outstanding++;
    this.counters[intendedNs < this.measureNs ? C.warmupScheduled : C.scheduled]!++;
    this.windows.began(nowNs, nowNs - intendedNs);
    this.counters[C.inFlight] = this.windows.inFlight;
  }

  /** Its bytes went to a socket for the first time. */
  sent(slot: number): void {
    const sentNs = this.slots.sentNs[slot]!;
    this.windows.get(this.slots.window[slot]!).sent++;
    if (this.slots.intendedNs[slot]! < this.measureNs) {
      this.counters[C.warmupSent]!++;
      return;
    }
    this.counters[C.sent]!++;
    this.counters[C.lastSentNs] = sentNs;
    if (sentNs <= this.endNs) this.counters[C.sentByEnd]!++;
  }

  /** An answer came whole. @param asExpected its status is among those that count as ok */
  answered(slot: number, status: number, bodyBytes: number, asExpected: boolean, atNs: number): void {
    this.counters[C.bodyBytes]! += bodyBytes;
    if (this.slots.intendedNs[slot]! >= this.measureNs) {
      if (status < STATUS_CODES) this.statuses[status]!++;
      this.counters[C.lastDoneNs] = atNs;
      if (atNs <= this.endNs) this.counters[C.answeredByEnd]!++;
      if (!asExpected) count(this.outcomes.byError, "status");
    }
    this.ended(slot, asExpected ? "ok" : "error", atNs, status);
  }

  failed(slot: number, kind: string, detail: string, atNs: number): void {
    if (this.slots.intendedNs[slot]! >= this.measureNs) {
      count(this.outcomes.byError, kind);
      this.outcomes.details[kind] ??= detail;
    }
    this.unsent(slot, kind);
    this.ended(slot, "error", atNs, 0);
  }

  timedOut(slot: number, atNs: number): void {
    this.unsent(slot, "timeout");
    this.ended(slot, "timeout", atNs, 0);
  }

  unfinished(slot: number, atNs: number): void {
    this.unsent(slot, "cut-off");
    this.ended(slot, "unfinished", atNs, 0);
  }

  paused(nowNs: number, lengthNs: number): void {
    this.windows.paused(nowNs, lengthNs);
    this.counters[C.pauses]!++;
    this.counters[C.pausedNs]! += lengthNs;
    if (lengthNs > this.counters[C.longestPauseNs]!) this.counters[C.longestPauseNs] = lengthNs;
  }

  finish(nowNs: number): void {
    this.windows.finish(nowNs);
    this.counters[C.inFlightNs] = this.windows.inFlightNs;
    this.flushSamples();
    for (const [status, answers] of this.statuses.entries()) {
      if (answers > 0) this.outcomes.byStatus[status] = answers;
    }
  }

  private unsent(slot: number, why: string): void {
    if (this.slots.state[slot] !== WAITING || this.slots.resent[slot] === 1) return;
    const warm = this.slots.intendedNs[slot]! < this.measureNs;
    count(warm ? this.outcomes.warmupUnsentBy : this.outcomes.unsentBy, why);
  }

  private ended(slot: number, outcome: Outcome, atNs: number, status: number): void {
    const { slots, counters } = this;
    const warm = slots.intendedNs[slot]! < this.measureNs;
    const wasSent = slots.state[slot] !== WAITING || slots.resent[slot] === 1;
    const window = this.windows.get(slots.window[slot]!);
    const responseNs = atNs - slots.intendedNs[slot]!;
    const serviceNs = atNs - slots.sentNs[slot]!;
    window.outstanding--;
    if (outcome === "ok") {
      window.ok++;
      window.response.record(responseNs);
      window.service.record(serviceNs);
      counters[warm ? C.warmupOk : C.ok]!++;
      if (!warm) this.recordOk(slot, responseNs, serviceNs);
    } else if (outcome === "error") {
      window.errors++;
      counters[warm ? C.warmupErrors : C.errors]!++;
      if (wasSent) {
        window.serviceFailed++;
        if (!warm) counters[C.serviceFailed]!++;
      }
    } else {
      const timedOut = outcome === "timeout";
      if (timedOut) window.timeouts++;
      else window.unfinished++;
      counters[timedOut ? (warm ? C.warmupTimeouts : C.timeouts) : warm ? C.warmupUnfinished : C.unfinished]!++;
      window.responseCensored.record(responseNs);
      if (wasSent) window.serviceCensored.record(serviceNs);
      if (!warm) {
        this.histograms.responseCensored.record(responseNs);
        if (wasSent) this.histograms.serviceCensored.record(serviceNs);
      }
    }
    if (this.samples !== undefined) this.sample(this.samples, slot, outcome, atNs, status, wasSent);
    this.windows.ended(atNs);
    counters[C.inFlight] = this.windows.inFlight;
  }

  private recordOk(slot: number, responseNs: number, serviceNs: number): void {
    const { slots, histograms } = this;
    const sendLagNs = responseNs - serviceNs;
    const connectNs = slots.connectNs[slot]!;
    // Until it was noticed it was late; from then on it waited for a connection, unless it went out at once.
    const noticedLagNs = slots.noticedNs[slot]! - slots.intendedNs[slot]!;
    const queueNs = slots.queued[slot] === 1 ? Math.max(0, sendLagNs - noticedLagNs - connectNs) : 0;
    const firstByteNs = slots.firstByteNs[slot]! - slots.sentNs[slot]!;
    histograms.response.record(responseNs);
    histograms.service.record(serviceNs);
    histograms.sendLag.record(sendLagNs);
    histograms.lateness.record(Math.max(0, sendLagNs - queueNs - connectNs));
    histograms.queue.record(queueNs);
    if (slots.fresh[slot] === 1) histograms.connect.record(connectNs);
    histograms.firstByte.record(firstByteNs);
    histograms.transfer.record(serviceNs - firstByteNs);
    if (slots.alone[slot] === 1) histograms.alone.record(serviceNs);
    this.corrected?.recordCorrected(responseNs, this.expectedIntervalNs);
  }

  private sample(
    rows: Float64Array,
    slot: number,
    outcome: Outcome,
    atNs: number,
    status: number,
    wasSent: boolean,
  ): void {
    const { slots } = this;
    let at = this.sampled * SAMPLE_COLUMNS.length;
    rows[at++] = slots.arrival[slot]!;
    rows[at++] = slots.intendedNs[slot]! - this.startNs;
    rows[at++] = wasSent ? slots.sentNs[slot]! - this.startNs : Number.NaN;
    rows[at++] = slots.firstByteNs[slot]! > 0 ? slots.firstByteNs[slot]! - this.startNs : Number.NaN;
    rows[at++] = atNs - this.startNs;
    rows[at++] = OUTCOME_CODE[outcome];
    rows[at++] = status;
    rows[at++] = slots.fresh[slot]!;
    if (++this.sampled === SAMPLE_ROWS) this.flushSamples();
  }

  private flushSamples(): void {
    if (this.samples === undefined || this.sampled === 0) return;
    const rows = this.samples.slice(0, this.sampled * SAMPLE_COLUMNS.length);
    this.sampled = 0;
    this.send({ type: "samples", rows }, [rows.buffer]);
  }
}

const OUTCOME_CODE: Readonly<Record<Outcome, number>> = { ok: 0, error: 1, timeout: 2, unfinished: 3 };

function count(tally: Record<string, number>, key: string): void {
  tally[key] = (tally[key] ?? 0) + 1;
}
