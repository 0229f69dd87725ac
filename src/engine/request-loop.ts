import type { MonotonicClock } from "../clock/monotonic.js";
import type { Sleeper } from "../clock/sleeper.js";
import type { Connection, ConnectionListener, Driver, ErrorKind } from "../driver/driver.js";
import { COUNTER_INDEX, RunCells } from "./cells.js";
import type { FromWorker, Job } from "./messages.js";
import { limitSentence } from "./own-limits.js";
import { Pool } from "./pool.js";
import { Recorder } from "./recorder.js";
import { NONE, SENT, SlotQueue, Slots } from "./slots.js";
import { openSource, type Source } from "./source.js";
import { WireCount } from "./wire-count.js";

const C = COUNTER_INDEX;

/** Due requests sent between two looks at the sockets: enough to keep up, few enough for answers to be seen in time. */
const BATCH = 64;
/** Opening a connection costs some 60 µs, so only this many between two looks at the sockets. */
const OPENS_AT_ONCE = 4;
/** Opened at once before the clock starts, when nothing is being timed. */
const PREOPENS_AT_ONCE = 64;
/**
 * After sending, the loop keeps looking for the answer this long, unless so many are out that it is never long asleep: an
 * answer that comes within a millisecond is timed to a few microseconds then.
 */
const AWAKE_NS = 1e6;
const AWAKE_UP_TO = 8;
/** A standstill of the generator longer than this is recorded. */
const PAUSE_NS = 1e6;

/** From where `pump` is called: out of an event of the sockets, or by a turn of the loop with or without events before it. */
type Turn = "within" | "busy" | "idle";

export interface LoopParts {
  readonly clock: MonotonicClock;
  readonly driver: (listener: ConnectionListener) => Driver;
  readonly sleeper: (onWake: (nowNs: number) => void) => Sleeper;
  readonly send: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
}

/**
 * One worker's traffic: sends each request when it falls due, on a connection that is free or a new one, and sees each to
 * its one outcome. All times come from the schedule and the clock; what the server does never moves an intended time.
 *
 * A request goes `due → (waiting →) sent → answered | failed | timed out | unfinished`. The only exits are `finish…` below.
 */
export class RequestLoop implements ConnectionListener {
  private readonly job: Job;
  private readonly clock: MonotonicClock;
  private readonly send: LoopParts["send"];
  private readonly sleeper: Sleeper;
  private readonly driver: Driver;
  private readonly pool: Pool;
  private readonly slots: Slots;
  /** All requests in flight, oldest first: the order in which they time out. */
  private readonly byAge = new SlotQueue();
  private readonly waiting = new SlotQueue();
  private readonly onTheWire: WireCount;
  private readonly statusOk = new Uint8Array(600);
  private readonly counters: Float64Array;
  private readonly cells: RunCells;
  private source: Source | undefined;
  private recorder: Recorder | undefined;
  private wakeNs = Number.POSITIVE_INFINITY;
  /** Requests intended up to here found `maxInFlight` others out. */
  private heldUntilNs = Number.NEGATIVE_INFINITY;
  /** What the sockets had to tell since the last turn of the loop; none: the generator has time to spare. */
  private events = 0;
  private preopening: number;
  private ended = false;

  constructor(job: Job, parts: LoopParts) {
    this.job = job;
    this.clock = parts.clock;
    this.send = parts.send;
    this.cells = new RunCells(job.cells);
    this.counters = this.cells.counters;
    this.onTheWire = new WireCount(job.onTheWire, job.share.index);
    this.slots = new Slots(job.maxInFlight);
    this.driver = parts.driver(this);
    this.sleeper = parts.sleeper((nowNs) => this.onWake(nowNs));
    this.pool = new Pool(this.driver, job.maxConnections);
    for (const [from, to] of job.expectStatus) this.statusOk.fill(1, from, to + 1);
    this.preopening = job.preopen;
  }

  /** Opens the connections the run is expected to need, then says `armed`. */
  arm(): void {
    const opening = Math.min(this.preopening, PREOPENS_AT_ONCE, this.pool.limit - this.pool.alive);
    for (let i = 0; i < opening; i++) this.pool.open(this.clock.nowNs(), NONE);
    this.preopening -= opening;
    if (this.pool.connecting === 0) this.send({ type: "armed" });
  }

  /** Starts the schedule at a time, on every thread's clock, that has not come yet. */
  start(atNs: number): void {
    if (this.ended) return;
    this.source = openSource(this.job, atNs);
    this.recorder = new Recorder(this.job, this.cells, this.slots, atNs, this.send);
    this.sleepUntil(atNs);
  }

  /** Cuts the schedule: nothing new goes out, what is out is waited for. */
  stopSchedule(): void {
    const nowNs = this.clock.nowNs();
    if (this.source === undefined) {
      this.end(nowNs);
    } else {
      this.source.cut(nowNs);
      this.recorder?.cut(nowNs);
      this.pump(nowNs);
    }
  }

  /** Ends at once: what is out stays unfinished, known only to have taken until now. */
  stopNow(): void {
    this.stopSchedule();
    const nowNs = this.clock.nowNs();
    const { source } = this;
    if (source === undefined) return;
    for (;;) {
      for (let slot = this.byAge.head; slot !== NONE; slot = this.byAge.head) {
        this.abandonConnection(slot);
        this.recorder?.unfinished(slot, nowNs);
        this.release(slot, nowNs);
      }
      if (source.nextNs > nowNs) break;
      while (source.nextNs <= nowNs && !this.slots.full) this.waiting.push(this.admit(nowNs));
    }
    this.pump(nowNs);
  }

  onOpen(connection: Connection, atNs: number): void {
    this.events++;
    this.pool.opened(connection, atNs);
    this.counters[C.connectionsOpened]!++;
    this.counters[C.connectionsAlive] = this.pool.alive;
    const slot = this.pool.slotOf(connection);
    if (slot !== NONE) this.put(slot, connection);
    else this.pool.giveIdle(connection);
    if (this.source === undefined) {
      if (this.pool.connecting === 0) this.arm();
    } else this.pump(atNs);
  }

  onFirstByte(connection: Connection, atNs: number): void {
    this.slots.firstByteNs[this.pool.slotOf(connection)] = atNs;
  }

  onDone(connection: Connection, status: number, bodyBytes: number, atNs: number): void {
    const slot = this.pool.slotOf(connection);
    this.onTheWire.left();
    this.events++;
    this.recorder?.answered(slot, status, bodyBytes, this.statusOk[status] === 1, atNs);
    this.release(slot, atNs);
    if (connection.state === "idle") this.pool.giveIdle(connection);
    else this.closed(connection, C.connectionsClosed);
    const { source } = this;
    if (source === undefined) return;
    // Not sent on at once: first all answers that are there are read, then all requests written. Written in between, each would
    // wake a server that had just gone to sleep, which costs more than the rest of the request.
    if (this.waiting.length > 0 || source.nextNs <= atNs || source.exhausted) {
      if (this.wakeNs > atNs) this.sleepUntil(atNs);
    } else if (source.nextNs < this.wakeNs) this.sleepUntil(source.nextNs);
  }

  onFail(connection: Connection, kind: ErrorKind, detail: string, sawFirstByte: boolean, atNs: number): void {
    const slot = this.pool.slotOf(connection);
    this.events++;
    this.onTheWire.left();
    this.closed(connection, C.connectionsLost);
    const stale =
      !sawFirstByte &&
      connection.exchanges > 1 &&
      (kind === "closed" || kind === "reset") &&
      this.slots.resent[slot] === 0;
    if (stale && this.job.request.idempotent) this.resend(slot, atNs);
    else this.fail(slot, kind, detail, atNs);
    this.pump(atNs);
  }

  onGone(connection: Connection, kind: ErrorKind, detail: string, atNs: number): void {
    const slot = this.pool.slotOf(connection);
    if (connection.exchanges > 0 || this.pool.isOpen(connection)) {
      this.pool.lostIdle(connection);
      this.counters[C.connectionsLost]!++;
    } else {
      this.pool.forget(connection);
      this.counters[C.connectFailures]!++;
      if (!this.adapt(kind)) {
        // The failed attempt was made for the oldest request that waits; without this each would cost a full timeout.
        const victim = slot !== NONE ? slot : this.waiting.shift();
        if (victim !== NONE) this.fail(victim, kind, detail, atNs);
      } else if (slot !== NONE) this.waitAgain(slot);
    }
    this.counters[C.connectionsAlive] = this.pool.alive;
    if (this.source === undefined) {
      if (this.pool.connecting === 0) this.arm();
    } else this.pump(atNs);
  }

  private onWake(nowNs: number): void {
    const lateNs = nowNs - this.wakeNs;
    this.wakeNs = Number.POSITIVE_INFINITY;
    if (lateNs > PAUSE_NS) this.recorder?.paused(nowNs, lateNs);
    const turn = this.events === 0 ? "idle" : "busy";
    this.events = 0;
    this.pump(nowNs, turn);
  }

  /** Does all that is due now, and sees to it that it runs again when something next is. */
  private pump(nowNs: number, turn: Turn = "within"): void {
    const { source, recorder } = this;
    if (source === undefined || recorder === undefined || this.ended) return;
    this.expire(nowNs);
    while (this.waiting.length > 0) {
      const connection = this.pool.takeIdle(nowNs);
      if (connection === undefined) break;
      this.put(this.waiting.shift(), connection);
    }
    for (let sent = 0; sent < BATCH && source.nextNs <= nowNs && !this.slots.full; sent++) {
      const slot = this.admit(nowNs);
      if (this.slots.intendedNs[slot]! + this.job.timeoutNs <= nowNs) {
        this.waiting.push(slot);
        this.expire(nowNs);
        continue;
      }
      const connection = this.waiting.length === 0 ? this.pool.takeIdle(nowNs) : undefined;
      if (connection !== undefined) {
        this.put(slot, connection);
      } else {
        this.slots.queued[slot] = 1;
        this.waiting.push(slot);
      }
    }
    const reopenNs = this.openConnections(nowNs, turn);
    const held = this.slots.full && source.nextNs <= nowNs;
    if (held) this.heldUntilNs = nowNs;
    recorder.windows.advance(nowNs, source.nextNs, held ? source.overdue(nowNs) : 0);
    if (source.exhausted && this.slots.used === 0) this.end(nowNs);
    else this.sleepUntil(Math.min(held ? reopenNs : source.nextNs, reopenNs, this.nextDeadlineNs()));
  }

  /** Takes the next request from the schedule; it is in flight from here on. */
  private admit(nowNs: number): number {
    const source = this.source!;
    const intendedNs = source.nextNs;
    // Held back by the limit on requests in flight, it was noticed in time all the same: its wait is no lateness of ours.
    const held = intendedNs <= this.heldUntilNs;
    const slot = this.slots.take(intendedNs, held ? intendedNs : nowNs);
    if (held) {
      this.slots.queued[slot] = 1;
      this.counters[C.heldBack]!++;
    }
    this.slots.arrival[slot] = source.nextArrival;
    source.take();
    this.byAge.push(slot);
    this.recorder!.scheduled(slot, nowNs);
    return slot;
  }

  private put(slot: number, connection: Connection): void {
    const { slots } = this;
    slots.connectNs[slot] = 0;
    const fresh = connection.exchanges === 0;
    const again = slots.resent[slot] === 1;
    if (fresh && slots.queued[slot] === 1) {
      slots.connectNs[slot] = this.pool.openingSince(connection, slots.noticedNs[slot]!);
    }
    this.pool.assign(connection, slot);
    slots.entry[slot] = connection.tag;
    slots.state[slot] = SENT;
    this.onTheWire.went();
    this.counters[C.attempts]!++;
    if (!fresh) this.counters[C.connectionsReused]!++;
    if (!again) {
      slots.fresh[slot] = fresh ? 1 : 0;
      slots.alone[slot] = this.onTheWire.alone ? 1 : 0;
      slots.sentNs[slot] = this.clock.nowNs();
    }
    connection.send(this.job.request);
    if (slots.used <= AWAKE_UP_TO) this.sleeper.stayAwake(slots.sentNs[slot]! + AWAKE_NS);
    if (!again) this.recorder!.sent(slot);
  }

  /**
   * Opens connections for the requests that wait for one, if the generator has the time: in a turn of the loop in which no
   * answer came, so that it is the server that keeps them waiting. In a busy turn some connection is about to come free, and
   * opening others would take the time to use it: a moment's standstill would grow into a storm of connections and never end.
   *
   * @returns when to look again, if no event comes before
   */
  private openConnections(nowNs: number, turn: Turn): number {
    const { pool } = this;
    const wanted = Math.min(this.waiting.length - pool.connecting, pool.limit - pool.alive);
    if (wanted <= 0) return Number.POSITIVE_INFINITY;
    // Without keep-alive none comes free, and each request needs its own.
    const noneToWaitFor = pool.alive === pool.connecting || !this.job.keepAlive;
    if (turn === "within" || (turn === "busy" && !noneToWaitFor)) return nowNs;
    for (let i = 0; i < Math.min(wanted, OPENS_AT_ONCE); i++) pool.open(nowNs, NONE);
    return wanted > OPENS_AT_ONCE ? nowNs : Number.POSITIVE_INFINITY;
  }

  /** Times out what is past its deadline, in flight or still held back in the schedule. */
  private expire(nowNs: number): void {
    const { timeoutNs } = this.job;
    for (let slot = this.byAge.head; slot !== NONE; slot = this.byAge.head) {
      if (this.slots.intendedNs[slot]! + timeoutNs > nowNs) break;
      this.abandonConnection(slot);
      this.recorder!.timedOut(slot, nowNs);
      this.release(slot, nowNs);
    }
  }

  private nextDeadlineNs(): number {
    const oldest = this.byAge.head;
    return oldest === NONE ? Number.POSITIVE_INFINITY : this.slots.intendedNs[oldest]! + this.job.timeoutNs;
  }

  /** Sends it once more on a connection of its own; its clocks go on from the first time. */
  private resend(slot: number, nowNs: number): void {
    this.counters[C.staleRetries]!++;
    this.slots.resent[slot] = 1;
    this.slots.firstByteNs[slot] = 0;
    this.slots.state[slot] = 1;
    this.slots.entry[slot] = NONE;
    if (this.pool.alive < this.pool.limit) {
      this.slots.entry[slot] = this.pool.open(nowNs, slot).tag;
    } else this.waitAgain(slot);
  }

  private waitAgain(slot: number): void {
    this.slots.entry[slot] = NONE;
    this.waiting.unshift(slot);
  }

  private fail(slot: number, kind: string, detail: string, nowNs: number): void {
    this.recorder!.failed(slot, kind, detail, nowNs);
    this.release(slot, nowNs);
  }

  /** Takes a request that is given up away from whatever would carry it. */
  private abandonConnection(slot: number): void {
    const connection = this.pool.connectionOf(this.slots.entry[slot]!);
    if (this.slots.state[slot] === SENT && connection !== undefined) {
      this.onTheWire.left();
      connection.destroy();
      this.closed(connection, C.cancelled);
    } else if (connection !== undefined) {
      this.pool.assign(connection, NONE);
    } else {
      this.waiting.remove(slot);
      // The connection opened for it goes too: one that hangs must not stand in for those later requests would open.
      if (this.pool.connecting > this.waiting.length) this.pool.dropOldestOpening();
    }
  }

  private release(slot: number, nowNs: number): void {
    this.byAge.remove(slot);
    this.slots.give(slot);
    if (this.slots.used === 0) this.sleeper.stayAwake(nowNs);
    this.source!.ended(nowNs);
  }

  private closed(connection: Connection, counter: number): void {
    this.pool.forget(connection);
    this.counters[counter]!++;
    this.counters[C.connectionsAlive] = this.pool.alive;
  }

  /**
   * The system refuses more connections: as long as others are open, it is this machine's limit and not the target's
   * failure, so the pool stops growing and requests wait. @returns false where the request has to fail
   */
  private adapt(kind: ErrorKind): boolean {
    if ((kind !== "no-descriptors" && kind !== "no-ports") || this.pool.alive === 0) return false;
    if (this.pool.limit > this.pool.alive) {
      this.pool.limit = this.pool.alive;
      this.send({ type: "limit", sentence: limitSentence(kind, this.pool.alive, this.job.descriptorLimit) });
    }
    return true;
  }

  private sleepUntil(atNs: number): void {
    if (atNs === this.wakeNs) return;
    this.wakeNs = atNs;
    this.sleeper.wakeAt(atNs);
  }

  private end(nowNs: number): void {
    if (this.ended) return;
    this.ended = true;
    this.sleeper.close();
    this.driver.close();
    this.recorder?.finish(nowNs);
    const none = { byStatus: {}, byError: {}, unsentBy: {}, warmupUnsentBy: {}, details: {} };
    this.send({ type: "done", outcomes: this.recorder?.outcomes ?? none });
  }
}
