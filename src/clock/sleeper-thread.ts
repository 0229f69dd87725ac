import { parentPort, workerData } from "node:worker_threads";
import { createMonotonicClock } from "./monotonic.js";
import { SLEEPER_DEADLINE, SLEEPER_SEQUENCE } from "./sleeper-cells.js";

// Sleeps until the deadline in shared memory, says so, and waits for the next one. A new deadline raises the sequence,
// which ends either wait at once; a change between reading the two is noticed because the sequence is read first.
const cells = workerData as SharedArrayBuffer;
const sequence = new Int32Array(cells);
const deadline = new Float64Array(cells);
const clock = createMonotonicClock();

for (;;) {
  const seen = Atomics.load(sequence, SLEEPER_SEQUENCE);
  const waitMs = ((deadline[SLEEPER_DEADLINE] ?? Number.POSITIVE_INFINITY) - clock.nowNs()) / 1e6;
  if (waitMs > 0 && Atomics.wait(sequence, SLEEPER_SEQUENCE, seen, waitMs) !== "timed-out") continue;
  parentPort?.postMessage(0);
  Atomics.wait(sequence, SLEEPER_SEQUENCE, seen);
}
