/** State of a slot: nobody's, due and waiting for a connection, or on the wire. */
export const FREE = 0;
export const WAITING = 1;
export const SENT = 2;

/** No slot: the end of a list. */
export const NONE = -1;

/**
 * The requests in flight, as columns. A slot is taken when its request falls due and given back at its one outcome, so
 * memory follows the requests in flight, not those of the run. Times are clock nanoseconds.
 */
export class Slots {
  capacity = 0;
  used = 0;
  intendedNs = new Float64Array(0);
  /** When the generator noticed that the request was due. */
  noticedNs = new Float64Array(0);
  sentNs = new Float64Array(0);
  firstByteNs = new Float64Array(0);
  /** Handshake of the connection opened for it; 0 on a reused one. */
  connectNs = new Float64Array(0);
  /** Its number in the schedule, all shares together. */
  arrival = new Float64Array(0);
  window = new Int32Array(0);
  /** The connection carrying it, as an entry of the pool; `NONE` while it waits. */
  entry = new Int32Array(0);
  state = new Uint8Array(0);
  /** 1: went out with no other request in flight. */
  alone = new Uint8Array(0);
  /** 1: found no connection when it fell due. */
  queued = new Uint8Array(0);
  /** 1: went out on a connection that had carried nothing before. */
  fresh = new Uint8Array(0);
  /** 1: went out once more after a reused connection died under it. */
  resent = new Uint8Array(0);
  /** Free slots are chained through `next`. */
  private next = new Int32Array(0);
  private firstFree = NONE;
  private readonly limit: number;

  /** @param limit most slots ever in use */
  constructor(limit: number) {
    this.limit = limit;
    this.grow(Math.min(limit, 256));
  }

  get full(): boolean {
    return this.used >= this.limit;
  }

  /** @returns the slot. Must not be called when `full`. */
  take(intendedNs: number, noticedNs: number): number {
    if (this.firstFree === NONE) this.grow(Math.min(this.capacity * 2, this.limit));
    const slot = this.firstFree;
    this.firstFree = this.next[slot]!;
    this.used++;
    this.intendedNs[slot] = intendedNs;
    this.noticedNs[slot] = noticedNs;
    this.firstByteNs[slot] = 0;
    this.connectNs[slot] = 0;
    this.entry[slot] = NONE;
    this.state[slot] = WAITING;
    this.alone[slot] = 0;
    this.queued[slot] = 0;
    this.fresh[slot] = 0;
    this.resent[slot] = 0;
    return slot;
  }

  give(slot: number): void {
    this.state[slot] = FREE;
    this.next[slot] = this.firstFree;
    this.firstFree = slot;
    this.used--;
  }

  private grow(capacity: number): void {
    const from = this.capacity;
    const wider = <T extends Float64Array | Int32Array | Uint8Array>(column: T, widened: T): T => {
      widened.set(column);
      return widened;
    };
    this.intendedNs = wider(this.intendedNs, new Float64Array(capacity));
    this.noticedNs = wider(this.noticedNs, new Float64Array(capacity));
    this.sentNs = wider(this.sentNs, new Float64Array(capacity));
    this.firstByteNs = wider(this.firstByteNs, new Float64Array(capacity));
    this.connectNs = wider(this.connectNs, new Float64Array(capacity));
    this.arrival = wider(this.arrival, new Float64Array(capacity));
    this.window = wider(this.window, new Int32Array(capacity));
    this.entry = wider(this.entry, new Int32Array(capacity));
    this.state = wider(this.state, new Uint8Array(capacity));
    this.alone = wider(this.alone, new Uint8Array(capacity));
    this.queued = wider(this.queued, new Uint8Array(capacity));
    this.fresh = wider(this.fresh, new Uint8Array(capacity));
    this.resent = wider(this.resent, new Uint8Array(capacity));
    this.next = wider(this.next, new Int32Array(capacity));
    for (let slot = capacity - 1; slot >= from; slot--) {
      this.next[slot] = this.firstFree;
      this.firstFree = slot;
    }
    this.capacity = capacity;
  }
}

/**
 * A queue of slots from which any one can be taken out in constant time: a doubly linked list in typed arrays. Two of
 * them order the requests in flight, those waiting for a connection and all by deadline. Timeouts need no timers then:
 * all have the same length, so the oldest request is the first to time out.
 */
export class SlotQueue {
  head = NONE;
  length = 0;
  private tail = NONE;
  private next = new Int32Array(0);
  private previous = new Int32Array(0);

  push(slot: number): void {
    this.reach(slot);
    this.next[slot] = NONE;
    this.previous[slot] = this.tail;
    if (this.tail === NONE) this.head = slot;
    else this.next[this.tail] = slot;
    this.tail = slot;
    this.length++;
  }

  /** Puts it before all others. */
  unshift(slot: number): void {
    this.reach(slot);
    this.previous[slot] = NONE;
    this.next[slot] = this.head;
    if (this.head === NONE) this.tail = slot;
    else this.previous[this.head] = slot;
    this.head = slot;
    this.length++;
  }

  /** Takes out a slot that is in the queue. */
  remove(slot: number): void {
    const next = this.next[slot]!;
    const previous = this.previous[slot]!;
    if (previous === NONE) this.head = next;
    else this.next[previous] = next;
    if (next === NONE) this.tail = previous;
    else this.previous[next] = previous;
    this.length--;
  }

  /** Takes out and returns the first; `NONE` if there is none. */
  shift(): number {
    const slot = this.head;
    if (slot !== NONE) this.remove(slot);
    return slot;
  }

  private reach(slot: number): void {
    if (slot < this.next.length) return;
    const capacity = Math.max(256, 2 ** Math.ceil(Math.log2(slot + 1)));
    for (const column of ["next", "previous"] as const) {
      const wider = new Int32Array(capacity);
      wider.set(this[column]);
      this[column] = wider;
    }
  }
}
