import type { ArrivalDraw } from "../random/arrival-draws.js";
import { NS_PER_S } from "../units/duration.js";
import type { Behaviour } from "./behaviour.js";

/** What service time depends on besides chance. */
export interface ArrivalState {
  readonly inSystem: number;
  /** How long nothing has been in the system; 0 if something is. `Infinity` before the first request. */
  readonly idleNs: number;
  /** From {@link OverloadMemory}. */
  readonly overloadFactor: number;
}

/** Work of a request with everything cold, as a multiple of its work with everything warm. */
const COLD_FACTOR = 10;
/** Idle for so long, caches and pools have gone cold for the one request that comes next. */
const COLD_AFTER_IDLE_NS = NS_PER_S;

/**
 * How much work an admitted request is: its draw, times
 *
 * - 1 + loadFactor · (number in the system at its arrival),
 * - 10 for the first request, falling in a straight line to 1 for the one after the `cold` first; and 10 for the first
 *   after an idle second,
 * - the slowdown after overload.
 *
 * A slow one takes exactly `slowNs`, whatever else holds.
 */
export class ServiceTimes {
  private readonly behaviour: Behaviour;
  private served = 0;

  constructor(behaviour: Behaviour) {
    this.behaviour = behaviour;
  }

  /** @returns integer nanoseconds. Call once for each admitted request, in order. */
  workNs(draw: ArrivalDraw, state: ArrivalState): number {
    const coldFactor = this.coldFactor(this.served++, state.idleNs);
    if (draw.slow) return this.behaviour.slowNs;
    const loadFactor = 1 + this.behaviour.loadFactor * state.inSystem;
    return Math.round(draw.serviceNs * loadFactor * coldFactor * state.overloadFactor);
  }

  private coldFactor(index: number, idleNs: number): number {
    const { cold } = this.behaviour;
    if (cold === 0) return 1;
    if (idleNs >= COLD_AFTER_IDLE_NS) return COLD_FACTOR;
    return 1 + (COLD_FACTOR - 1) * Math.max(0, 1 - index / cold);
  }
}
