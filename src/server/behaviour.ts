import type { ArrivalChances } from "../random/arrival-draws.js";

/** How a server behaves, apart from its sockets. Plain data; times in nanoseconds, probabilities from 0 to 1. */
export interface Behaviour extends ArrivalChances {
  /** Requests served at once; 0 for any number. */
  readonly workers: number;
  /** What a slow one takes, exactly. */
  readonly slowNs: number;
  /** Running time between two freezes of the whole server; 0 for none. */
  readonly stallEveryNs: number;
  /** How long a freeze lasts. */
  readonly stallNs: number;
  /** Service time is multiplied by 1 + this × the number in the system at arrival. */
  readonly loadFactor: number;
  /** How many first requests are slowed by a cold cache; 0 for none. */
  readonly cold: number;
  /** How long a request that needs the mutex holds it. */
  readonly lockNs: number;
  /** Requests admitted per second, above it 429; 0 for any number. */
  readonly limitPerS: number;
  /** Requests that may wait for a worker, above it 503; `undefined` for any number. */
  readonly queueLimit: number | undefined;
  /** How long after a moment of overload service stays slower. */
  readonly afterOverloadNs: number;
  /** How many times slower; 1 for not at all. */
  readonly afterOverloadFactor: number;
  /** Status of a failed request. */
  readonly failStatus: number;
  /** A client's hang-up stops its work. */
  readonly cancel: boolean;
  readonly seed: number;
}
