import { NS_PER_S } from "../units/duration.js";
import type { Behaviour } from "./behaviour.js";

/**
 * The rate past which the backlog grows without end, per second; `Infinity` if there is none. What depends on the load
 * itself or passes (`loadFactor`, `cold`, slowness after overload) is left out: it can only lower it.
 *
 *     workers / (E[service] + P(lock)·hold),   at most 1 / (P(lock)·hold),   × share of the time the server runs
 */
export function capacityPerS(behaviour: Behaviour): number {
  const { workers, slowProbability, slowNs, lockProbability, lockNs, stallEveryNs, stallNs, limitPerS } = behaviour;
  const meanServiceNs = (1 - slowProbability) * behaviour.service.meanNs + slowProbability * slowNs;
  const meanLockNs = lockProbability * lockNs;
  const byWorkers = workers === 0 ? Number.POSITIVE_INFINITY : (workers * NS_PER_S) / (meanServiceNs + meanLockNs);
  const byLock = NS_PER_S / meanLockNs;
  const running = stallEveryNs === 0 ? 1 : stallEveryNs / (stallEveryNs + stallNs);
  const byWork = Math.min(byWorkers, byLock) * running;
  return limitPerS === 0 ? byWork : Math.min(byWork, limitPerS);
}
