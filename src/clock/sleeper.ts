import { Worker } from "node:worker_threads";
import type { MonotonicClock } from "./monotonic.js";
import { SLEEPER_BYTES, SLEEPER_DEADLINE, SLEEPER_SEQUENCE } from "./sleeper-cells.js";

/**
 * How a thread waits for a point in time.
 *
 * - `spin`: goes round the event loop until the time has come. Lag about 2 µs, a whole core.
 * - `sleep`: a helper thread sleeps in the kernel and sends a message. Lag 0.1–0.2 ms, little CPU.
 * - `auto`: sleeps until shortly before, then spins. The lag of `spin` at a fraction of the CPU.
 *
 * Node's own timers are no choice: they are late by up to a millisecond, and early by as much.
 */
export type Pacing = "auto" | "spin" | "sleep";

/** Calls back once a given time has come, never early. */
export interface Sleeper {
  /** Asks for one call at `atNs` or as soon after as can be, in place of whatever was asked before. `Infinity`: none. */
  wakeAt(atNs: number): void;
  /**
   * Something short is about to come in over the event loop: with `auto`, goes on spinning until then, so that it is noticed at
   * once. A thread asleep in the kernel takes 0.05 to 0.1 ms to wake, which would be added to what it times. A time that has
   * passed lets it sleep again.
   */
  stayAwake(untilNs: number): void;
  /** Ends the helper thread. No call follows. */
  close(): void;
}

/** `auto` stops sleeping this long before the target: the helper's lag stays below it nine times out of ten. */
const SPIN_BEFORE_NS = 300_000;

/**
 * @param onWake called with a clock reading at or after the time asked for
 */
export function createSleeper(pacing: Pacing, clock: MonotonicClock, onWake: (nowNs: number) => void): Sleeper {
  return new LoopSleeper(clock, onWake, pacing === "spin" ? undefined : new HelperThread(), pacing === "auto");
}

class LoopSleeper implements Sleeper {
  private readonly clock: MonotonicClock;
  private readonly onWake: (nowNs: number) => void;
  private readonly helper: HelperThread | undefined;
  private readonly spinBeforeNs: number;
  private targetNs = Number.POSITIVE_INFINITY;
  private spinning = false;
  /** What the helper is set to; it is told only of earlier times, and asked again when it rings too soon. */
  private ringNs = Number.POSITIVE_INFINITY;
  private awakeUntilNs = Number.NEGATIVE_INFINITY;
  private readonly auto: boolean;
  private readonly turn: () => void;

  constructor(clock: MonotonicClock, onWake: (nowNs: number) => void, helper: HelperThread | undefined, auto: boolean) {
    this.clock = clock;
    this.onWake = onWake;
    this.helper = helper;
    this.auto = auto;
    this.spinBeforeNs = helper === undefined ? Number.POSITIVE_INFINITY : auto ? SPIN_BEFORE_NS : 0;
    this.turn = () => this.spinOnce();
    if (helper !== undefined) helper.onRing = () => this.rung();
  }

  wakeAt(atNs: number): void {
    this.targetNs = atNs;
    if (atNs === Number.POSITIVE_INFINITY) return;
    if (this.spinning || this.ringNs <= atNs - this.spinBeforeNs) return;
    if (this.helper === undefined || this.clock.nowNs() >= atNs - this.spinBeforeNs) this.spin();
    else this.ringAt(atNs - this.spinBeforeNs);
  }

  stayAwake(untilNs: number): void {
    if (!this.auto) return;
    const longer = untilNs > this.awakeUntilNs;
    this.awakeUntilNs = untilNs;
    if (longer) this.spin();
  }

  close(): void {
    this.targetNs = Number.POSITIVE_INFINITY;
    this.awakeUntilNs = Number.NEGATIVE_INFINITY;
    this.helper?.close();
  }

  private rung(): void {
    this.ringNs = Number.POSITIVE_INFINITY;
    if (this.targetNs !== Number.POSITIVE_INFINITY) this.spin();
  }

  private spin(): void {
    if (this.spinning) return;
    this.spinning = true;
    setImmediate(this.turn);
  }

  private spinOnce(): void {
    const nowNs = this.clock.nowNs();
    if (nowNs >= this.targetNs) {
      this.targetNs = Number.POSITIVE_INFINITY;
      this.onWake(nowNs);
    }
    const asked = this.targetNs !== Number.POSITIVE_INFINITY;
    const spinFromNs = asked ? this.targetNs - this.spinBeforeNs : Number.POSITIVE_INFINITY;
    if (nowNs >= spinFromNs || nowNs < this.awakeUntilNs) {
      setImmediate(this.turn);
      return;
    }
    this.spinning = false;
    if (asked && this.ringNs > spinFromNs) this.ringAt(spinFromNs);
  }

  private ringAt(atNs: number): void {
    this.ringNs = atNs;
    this.helper?.ringAt(atNs);
  }
}

/** The kernel-timed alarm: a thread that sleeps on a futex with a fractional timeout. */
class HelperThread {
  onRing: () => void = () => {};
  private readonly worker: Worker;
  private readonly sequence: Int32Array;
  private readonly deadline: Float64Array;

  constructor() {
    const cells = new SharedArrayBuffer(SLEEPER_BYTES);
    this.sequence = new Int32Array(cells);
    this.deadline = new Float64Array(cells);
    this.deadline[SLEEPER_DEADLINE] = Number.POSITIVE_INFINITY;
    this.worker = new Worker(new URL("./sleeper-thread.js", import.meta.url), {
      workerData: cells,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    });
    this.worker.on("message", () => this.onRing());
  }

  ringAt(atNs: number): void {
    this.deadline[SLEEPER_DEADLINE] = atNs;
    Atomics.add(this.sequence, SLEEPER_SEQUENCE, 1);
    Atomics.notify(this.sequence, SLEEPER_SEQUENCE);
  }

  close(): void {
    this.worker.removeAllListeners("message");
    void this.worker.terminate();
  }
}
