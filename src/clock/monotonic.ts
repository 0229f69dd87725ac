/**
 * The machine's monotonic clock.
 *
 * `nowNs()` counts integer nanoseconds from an origin that every thread of every process on this machine shares
 * (CLOCK_MONOTONIC), so readings of two workers can be subtracted. It never goes back and knows nothing of the date.
 */
export interface MonotonicClock {
  nowNs(): number;
}

/**
 * A clock for the calling thread. `performance.now()` is read because it allocates nothing; its own origin differs by
 * thread, so it is tied once to `process.hrtime`. The tightest of a few ties keeps the error below a microsecond.
 */
export function createMonotonicClock(): MonotonicClock {
  // The global is looked up through a getter at each use; this is read twice for every request.
  const time = performance;
  let offsetNs = 0;
  let narrowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 16; i++) {
    const before = time.now() * 1e6;
    const [seconds, nanoseconds] = process.hrtime();
    const after = time.now() * 1e6;
    if (after - before < narrowest) {
      narrowest = after - before;
      offsetNs = seconds * 1e9 + nanoseconds - (before + after) / 2;
    }
  }
  return { nowNs: () => Math.round(time.now() * 1e6 + offsetNs) };
}
