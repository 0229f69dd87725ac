import { CellLog } from "../hdr/cell-log.js";
import { LATENCY_LAYOUT } from "../hdr/layout.js";
import type { WindowCounts } from "./messages.js";

/** A window some of whose requests may still be out. */
export class OpenWindow {
  readonly index: number;
  outstanding = 0;
  scheduled = 0;
  ok = 0;
  errors = 0;
  timeouts = 0;
  unfinished = 0;
  sent = 0;
  serviceFailed = 0;
  readonly response = new CellLog(LATENCY_LAYOUT);
  readonly responseCensored = new CellLog(LATENCY_LAYOUT);
  readonly service = new CellLog(LATENCY_LAYOUT);
  readonly serviceCensored = new CellLog(LATENCY_LAYOUT);
  pauses = 0;
  pausedNs = 0;
  longestPauseNs = 0;
  inFlightAtStart = 0;
  inFlightAtEnd = 0;
  inFlightNs = 0;

  constructor(index: number) {
    this.index = index;
  }

  counts(scratch: Int32Array): WindowCounts {
    const { outstanding: _, ...counts } = this;
    return {
      ...counts,
      response: this.response.cells(scratch),
      responseCensored: this.responseCensored.cells(scratch),
      service: this.service.cells(scratch),
      serviceCensored: this.serviceCensored.cells(scratch),
    };
  }
}

/**
 * The windows of one worker. Requests belong to the window of their intended time; pauses and the number in flight to
 * that of the wall clock. A window leaves as soon as its time is over, the schedule is past it and all its requests have
 * ended, so that a worker holds few of them however long the run.
 */
export class Windows {
  /** Requests due and not ended. */
  inFlight = 0;
  /** Their integral over time, so far. */
  inFlightNs = 0;
  private readonly originNs: number;
  private readonly widthNs: number;
  private readonly leave: (window: WindowCounts) => void;
  private readonly scratch = new Int32Array(LATENCY_LAYOUT.countsLength);
  private readonly open = new Map<number, OpenWindow>();
  private wall: OpenWindow;
  private wallEndNs: number;
  /** The wall clock's window when final ones were last looked for. */
  private sweptIndex: number;
  private settledNs: number;
  private newest: OpenWindow;

  /**
   * @param originNs where window 0 starts: the end of the warm-up, so that none lies on both sides of it
   * @param leave takes a final window
   */
  constructor(startNs: number, originNs: number, widthNs: number, leave: (window: WindowCounts) => void) {
    this.originNs = originNs;
    this.widthNs = widthNs;
    this.leave = leave;
    this.settledNs = startNs;
    this.wall = this.create(this.indexOf(startNs));
    this.wallEndNs = this.startOf(this.wall.index + 1);
    this.sweptIndex = this.wall.index;
    this.newest = this.wall;
  }

  indexOf(atNs: number): number {
    return Math.floor((atNs - this.originNs) / this.widthNs);
  }

  /** The window of an intended time at or before now, and not before the schedule has left it. */
  at(intendedNs: number): OpenWindow {
    const index = this.indexOf(intendedNs);
    if (this.newest.index !== index) this.newest = this.open.get(index) ?? this.create(index);
    return this.newest;
  }

  get(index: number): OpenWindow {
    return this.newest.index === index ? this.newest : (this.open.get(index) ?? this.create(index));
  }

  /** A request was noticed `lateNs` after it fell due: it counts as in flight since then. */
  began(nowNs: number, lateNs: number): void {
    this.settle(nowNs);
    this.inFlight++;
    this.inFlightNs += lateNs;
    this.wall.inFlightNs += lateNs;
  }

  ended(nowNs: number): void {
    this.settle(nowNs);
    this.inFlight--;
  }

  paused(nowNs: number, lengthNs: number): void {
    this.settle(nowNs);
    this.wall.pauses++;
    this.wall.pausedNs += lengthNs;
    this.wall.longestPauseNs = Math.max(this.wall.longestPauseNs, lengthNs);
  }

  /**
   * Follows the wall clock, and sends off the windows that are final.
   *
   * @param scheduleNs the next intended time; no request before it will come
   * @param overdue requests that are due and were not let in, by which the edge just passed is short
   */
  advance(nowNs: number, scheduleNs: number, overdue: number): void {
    this.settle(nowNs);
    if (this.wall.index === this.sweptIndex) return;
    this.sweptIndex = this.wall.index;
    this.wall.inFlightAtStart += overdue;
    const left = this.open.get(this.wall.index - 1);
    if (left !== undefined) left.inFlightAtEnd += overdue;
    const scheduleIndex = scheduleNs === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : this.indexOf(scheduleNs);
    for (const window of this.open.values()) {
      if (window.outstanding === 0 && window.index < this.wall.index && window.index < scheduleIndex) this.send(window);
    }
  }

  /** The end: every window leaves. */
  finish(nowNs: number): void {
    this.settle(nowNs);
    for (const window of this.open.values()) this.send(window);
  }

  private settle(nowNs: number): void {
    while (nowNs >= this.wallEndNs) {
      this.integrate(this.wallEndNs);
      this.wall.inFlightAtEnd = this.inFlight;
      const index = this.wall.index + 1;
      this.wall = this.open.get(index) ?? this.create(index);
      this.wall.inFlightAtStart = this.inFlight;
      this.wallEndNs = this.startOf(index + 1);
    }
    this.integrate(nowNs);
  }

  private integrate(untilNs: number): void {
    const areaNs = this.inFlight * (untilNs - this.settledNs);
    this.inFlightNs += areaNs;
    this.wall.inFlightNs += areaNs;
    this.settledNs = untilNs;
  }

  private startOf(index: number): number {
    return this.originNs + index * this.widthNs;
  }

  private create(index: number): OpenWindow {
    const window = new OpenWindow(index);
    this.open.set(index, window);
    return window;
  }

  private send(window: OpenWindow): void {
    this.open.delete(window.index);
    this.leave(window.counts(this.scratch));
  }
}
