import { createSampler, type Distribution } from "./distribution.js";
import { uniformOfKey } from "./key-hash.js";
import { createRandom } from "./random.js";

/** What chance decides about a request. Probabilities are from 0 to 1. */
export interface ArrivalChances {
  readonly service: Distribution;
  readonly slowProbability: number;
  /** `request`: slowness belongs to the request's key, the same on every replica and for every seed. */
  readonly slowBy: "arrival" | "request";
  readonly lockProbability: number;
  readonly failProbability: number;
  readonly resetProbability: number;
}

/** What fell to one arrival. */
export interface ArrivalDraw {
  readonly serviceNs: number;
  readonly slow: boolean;
  readonly locks: boolean;
  readonly fails: boolean;
  readonly resets: boolean;
}

/**
 * The draws of a server's arrivals, in order of arrival: call it once an arrival, refused ones included.
 *
 * Each concern has a stream of its own, `service`, `slow`, `lock`, `fail` and `reset`, and takes exactly one uniform
 * an arrival. So the i-th arrival gets the i-th draw of the seed, come what may: turning a knob, or refusing a request,
 * moves nobody else's draw. A live server and its simulation, given the same seed, follow the same path.
 */
export function createArrivalDraws(chances: ArrivalChances, seed: number): (key: string) => ArrivalDraw {
  const sampler = createSampler(chances.service);
  const service = createRandom(seed, "service");
  const slow =
    chances.slowBy === "request"
      ? (key: string) => uniformOfKey(key) < chances.slowProbability
      : coin(chances.slowProbability, seed, "slow");
  const lock = coin(chances.lockProbability, seed, "lock");
  const fail = coin(chances.failProbability, seed, "fail");
  const reset = coin(chances.resetProbability, seed, "reset");
  return (key) => ({
    serviceNs: sampler(service),
    slow: slow(key),
    locks: lock(),
    fails: fail(),
    resets: reset(),
  });
}

/** What cannot happen is not drawn: nobody can tell, as the stream serves nothing else. */
function coin(probability: number, seed: number, stream: string): () => boolean {
  if (probability === 0) return () => false;
  const random = createRandom(seed, stream);
  return () => random.uniform() < probability;
}
