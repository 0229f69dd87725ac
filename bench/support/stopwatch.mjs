import { median } from "./median.mjs";

const WARM_UP_REPEATS = 5;
const REPEATS = 25;
/** Long enough for a clock of microseconds, short enough to find quiet moments. */
const REPEAT_NS = 10e6;

/**
 * CPU time of one of many equal operations: median and best of repeats of some 10 ms each. CPU time, because others may
 * be using the machine.
 *
 * @param {(times: number) => unknown} repeat does it so many times in a loop of its own, and returns what depends on it all
 * @returns {{ medianNs: number, bestNs: number }}
 */
export function timeOne(repeat) {
  let times = 1;
  while (elapsedNs(repeat, times) < REPEAT_NS) times *= 2;
  for (let i = 0; i < WARM_UP_REPEATS; i++) elapsedNs(repeat, times);
  const eachNs = Array.from({ length: REPEATS }, () => elapsedNs(repeat, times) / times);
  return { medianNs: median(eachNs), bestNs: Math.min(...eachNs) };
}

/** Kept, so that no compiler finds the work to be for nothing. */
export const results = { last: /** @type {unknown} */ (undefined) };

/** @param {(times: number) => unknown} repeat @param {number} times */
function elapsedNs(repeat, times) {
  const before = process.cpuUsage();
  results.last = repeat(times);
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1000;
}
