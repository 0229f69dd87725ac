import { openSchedule, type ScheduleCursor, type ScheduleDescription } from "../schedule/schedule.js";
import type { Job } from "./messages.js";

/**
 * Where a worker's requests come from: intended times in ascending order, in clock nanoseconds. An open loop reads them
 * from the schedule; in a closed loop each user's next time follows from its last answer.
 */
export interface Source {
  /** When the next request is meant to go out; `Infinity` if none is known (yet, in a closed loop). */
  readonly nextNs: number;
  /** Number in the whole schedule of the next request. */
  readonly nextArrival: number;
  /** Consumes the next one. */
  take(): void;
  /** A request ended; in a closed loop its user begins to think. */
  ended(atNs: number): void;
  /** No request will ever come again. */
  readonly exhausted: boolean;
  /** Cuts the schedule: requests intended later than this do not exist. */
  cut(atNs: number): void;
  /** How many requests intended at or before this time have not been taken. */
  overdue(atNs: number): number;
}

/** A worker's requests, from the start of the schedule at `startNs`. */
export function openSource(job: Job, startNs: number): Source {
  const { load, durationNs, requests, seed, share } = job;
  if (load.kind === "open") return new OpenSource({ ...load, durationNs, requests, seed, share }, startNs);
  // How many of the numbers 0 … requests − 1 are this worker's.
  const own = requests === Number.POSITIVE_INFINITY ? requests : Math.ceil((requests - share.index) / share.of);
  return new ClosedSource({ ...load, durationNs, requests: own, share }, startNs);
}

const CHUNK = 1024;

export class OpenSource implements Source {
  nextNs = Number.POSITIVE_INFINITY;
  nextArrival: number;
  exhausted = false;
  private readonly description: ScheduleDescription;
  private readonly cursor: ScheduleCursor;
  private readonly startNs: number;
  private readonly chunk = new Float64Array(CHUNK);
  private filled = 0;
  private position = 0;
  private cutNs = Number.POSITIVE_INFINITY;
  private taken = 0;
  private counter: DueCounter | undefined;

  constructor(description: ScheduleDescription, startNs: number) {
    this.description = description;
    this.startNs = startNs;
    this.nextArrival = description.share.index - description.share.of;
    this.cursor = openSchedule(description);
    this.advance();
  }

  take(): void {
    this.taken++;
    this.advance();
  }

  ended(): void {}

  cut(atNs: number): void {
    this.cutNs = atNs;
    if (this.nextNs > atNs) this.finish();
  }

  overdue(atNs: number): number {
    if (this.nextNs > atNs) return 0;
    this.counter ??= new DueCounter(this.description);
    return this.counter.dueBy(Math.min(atNs, this.cutNs) - this.startNs) - this.taken;
  }

  private advance(): void {
    if (this.position === this.filled) {
      this.filled = this.cursor.next(this.chunk);
      this.position = 0;
    }
    const atNs = this.startNs + this.chunk[this.position]!;
    if (this.filled === 0 || atNs > this.cutNs) {
      this.finish();
    } else {
      this.position++;
      this.nextNs = atNs;
      this.nextArrival += this.description.share.of;
    }
  }

  private finish(): void {
    this.exhausted = true;
    this.nextNs = Number.POSITIVE_INFINITY;
  }
}

/**
 * Counts arrivals by time on a cursor of its own: the schedule is a pure function, so a backlog need not be held in
 * memory to be counted. Times asked for must not go back.
 */
class DueCounter {
  private readonly cursor: ScheduleCursor;
  private readonly chunk = new Float64Array(CHUNK);
  private filled = 0;
  private position = 0;
  private count = 0;

  constructor(description: ScheduleDescription) {
    this.cursor = openSchedule(description);
  }

  dueBy(atNs: number): number {
    for (;;) {
      while (this.position < this.filled && this.chunk[this.position]! <= atNs) {
        this.position++;
        this.count++;
      }
      if (this.position < this.filled) return this.count;
      this.filled = this.cursor.next(this.chunk);
      this.position = 0;
      if (this.filled === 0) return this.count;
    }
  }
}

export interface ClosedDescription {
  /** Of this worker. */
  readonly users: number;
  readonly thinkNs: number;
  readonly durationNs: number;
  /** Of this worker; `Infinity` for no limit. */
  readonly requests: number;
  readonly share: { readonly index: number; readonly of: number };
}

/**
 * Each of C users sends, waits for the end, thinks, and sends again: intended = ready = end + think. Ends come in order
 * and all think alike, so a ring of ready times is in order too.
 */
export class ClosedSource implements Source {
  nextNs: number;
  nextArrival: number;
  exhausted = false;
  private readonly description: ClosedDescription;
  private readonly ready: Float64Array;
  private readonly endNs: number;
  private cutNs = Number.POSITIVE_INFINITY;
  private first = 0;
  private waiting: number;
  private taken = 0;

  constructor(description: ClosedDescription, startNs: number) {
    this.description = description;
    this.ready = new Float64Array(description.users).fill(startNs);
    this.waiting = description.users;
    this.endNs = startNs + description.durationNs;
    this.nextNs = startNs;
    this.nextArrival = description.share.index;
  }

  take(): void {
    this.taken++;
    this.first = (this.first + 1) % this.ready.length;
    this.waiting--;
    this.nextArrival += this.description.share.of;
    this.look();
  }

  ended(atNs: number): void {
    this.ready[(this.first + this.waiting) % this.ready.length] = atNs + this.description.thinkNs;
    this.waiting++;
    if (this.waiting === 1) this.look();
  }

  cut(atNs: number): void {
    this.cutNs = atNs;
    this.look();
  }

  overdue(atNs: number): number {
    if (this.exhausted) return 0;
    let due = 0;
    while (due < this.waiting && this.ready[(this.first + due) % this.ready.length]! <= atNs) due++;
    return Math.min(due, this.description.requests - this.taken);
  }

  private look(): void {
    const ready = this.waiting > 0 ? this.ready[this.first]! : Number.POSITIVE_INFINITY;
    const over = this.taken >= this.description.requests || this.cutNs !== Number.POSITIVE_INFINITY;
    // With nobody ready the next time is at least now, which only `ended` knows.
    this.exhausted ||= over || (this.waiting > 0 && ready >= this.endNs);
    this.nextNs = this.exhausted ? Number.POSITIVE_INFINITY : ready;
  }
}
