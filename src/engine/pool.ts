import type { Connection, Driver } from "../driver/driver.js";
import { NONE } from "./slots.js";

/** The peer counts a connection's idle time from its own clock and its own last byte: it is not cut to the end. */
const REUSE_MARGIN_NS = 100e6;

/**
 * The connections of one worker. A connection's `tag` is its entry here.
 *
 * Reuse is last in, first out: the warm ones stay warm, and what a lull leaves over grows old at the bottom of the stack,
 * where closing it costs nothing.
 */
export class Pool {
  /** Most connections alive at once; lowered when the system refuses more. */
  limit: number;
  alive = 0;
  private readonly driver: Driver;
  private readonly connections: (Connection | undefined)[] = [];
  private readonly freeEntries: number[] = [];
  private readonly idle: Connection[] = [];
  private dead = 0;
  /** Those still opening, oldest first. */
  private readonly opening = new Set<Connection>();
  private startedNs = new Float64Array(64);
  private openedNs = new Float64Array(64);
  /** The request it carries, or that it is being opened for alone; `NONE` if neither. */
  private slot = new Int32Array(64);

  constructor(driver: Driver, limit: number) {
    this.driver = driver;
    this.limit = limit;
  }

  get connecting(): number {
    return this.opening.size;
  }

  /** @param slot the request that no other connection may carry, or `NONE` */
  open(nowNs: number, slot: number): Connection {
    const entry = this.freeEntries.pop() ?? this.connections.length;
    if (entry >= this.slot.length) this.grow();
    const connection = this.driver.connect();
    connection.tag = entry;
    this.connections[entry] = connection;
    this.startedNs[entry] = nowNs;
    this.openedNs[entry] = Number.NaN;
    this.slot[entry] = slot;
    this.alive++;
    this.opening.add(connection);
    return connection;
  }

  opened(connection: Connection, nowNs: number): void {
    this.openedNs[connection.tag] = nowNs;
    this.opening.delete(connection);
  }

  isOpen(connection: Connection): boolean {
    return !Number.isNaN(this.openedNs[connection.tag]!);
  }

  /** The request a connection carries or waits for. */
  slotOf(connection: Connection): number {
    return this.slot[connection.tag]!;
  }

  assign(connection: Connection, slot: number): void {
    this.slot[connection.tag] = slot;
  }

  connectionOf(entry: number): Connection | undefined {
    return this.connections[entry];
  }

  /** How much of a wait since `sinceNs` was this connection's own opening. */
  openingSince(connection: Connection, sinceNs: number): number {
    const entry = connection.tag;
    return Math.max(0, this.openedNs[entry]! - Math.max(sinceNs, this.startedNs[entry]!));
  }

  /** @returns an idle connection that is safe to use now. Those past their announced lifetime are closed on the way. */
  takeIdle(nowNs: number): Connection | undefined {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.state !== "idle") {
        this.dead--;
      } else if (connection.reusableUntilNs - REUSE_MARGIN_NS <= nowNs) {
        connection.destroy();
        this.forget(connection);
      } else {
        return connection;
      }
    }
    return undefined;
  }

  giveIdle(connection: Connection): void {
    this.slot[connection.tag] = NONE;
    this.idle.push(connection);
  }

  /** It ended while idle: it stays in the stack, to be passed over. */
  lostIdle(connection: Connection): void {
    this.forget(connection);
    this.dead++;
    if (this.dead > 64 && this.dead > this.idle.length / 2) this.sweep();
  }

  dropOldestOpening(): void {
    for (const connection of this.opening) {
      if (this.slot[connection.tag] !== NONE) continue;
      connection.destroy();
      this.forget(connection);
      return;
    }
  }

  /** It ended, and is in no stack. */
  forget(connection: Connection): void {
    this.opening.delete(connection);
    this.connections[connection.tag] = undefined;
    this.slot[connection.tag] = NONE;
    this.freeEntries.push(connection.tag);
    this.alive--;
  }

  private sweep(): void {
    const kept = this.idle.filter((connection) => connection.state === "idle");
    this.idle.length = 0;
    this.idle.push(...kept);
    this.dead = 0;
  }

  private grow(): void {
    const size = this.slot.length * 2;
    const wider = <T extends Float64Array | Int32Array>(column: T, widened: T): T => {
      widened.set(column);
      return widened;
    };
    this.startedNs = wider(this.startedNs, new Float64Array(size));
    this.openedNs = wider(this.openedNs, new Float64Array(size));
    this.slot = wider(this.slot, new Int32Array(size));
  }
}
