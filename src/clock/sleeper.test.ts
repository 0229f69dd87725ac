import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMonotonicClock } from "./monotonic.js";
import { createSleeper, type Sleeper } from "./sleeper.js";

/** A clock that stands still until it is set, and the turns of an event loop, to be taken one by one. */
class FakeWorld {
  nowNs = 0;
  readonly calls: number[] = [];
  /** What is done at a call, besides noting it. */
  onCall: (nowNs: number) => void = () => {};
  readonly sleeper: Sleeper = createSleeper("spin", { nowNs: () => this.nowNs }, (nowNs) => {
    this.calls.push(nowNs);
    this.onCall(nowNs);
  });

  /** One turn of the event loop at a time. */
  turnAt(nowNs: number): void {
    this.nowNs = nowNs;
    vi.advanceTimersToNextTimer();
  }

  get spinning(): boolean {
    return vi.getTimerCount() > 0;
  }
}

describe("a spinning sleeper", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setImmediate", "clearImmediate"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("calls at the time asked for or as soon after as it can, once, and never early", () => {
    const world = new FakeWorld();
    world.sleeper.wakeAt(100);
    for (const now of [10, 50, 99]) world.turnAt(now);
    expect(world.calls).toEqual([]);
    world.turnAt(107);
    expect(world.calls).toEqual([107]);
    expect(world.spinning).toBe(false);
  });

  it("calls at the very nanosecond", () => {
    const world = new FakeWorld();
    world.sleeper.wakeAt(100);
    world.turnAt(100);
    expect(world.calls).toEqual([100]);
  });

  it("calls in a turn of its own even where the time has already come", () => {
    const world = new FakeWorld();
    world.nowNs = 500;
    world.sleeper.wakeAt(100);
    expect(world.calls).toEqual([]);
    world.turnAt(501);
    expect(world.calls).toEqual([501]);
  });

  it.each([
    ["later", 100, 200],
    ["earlier", 200, 100],
  ])("forgets the time before when asked for a %s one", (_, first, second) => {
    const world = new FakeWorld();
    world.sleeper.wakeAt(first);
    world.turnAt(10);
    world.sleeper.wakeAt(second);
    world.turnAt(second - 1);
    expect(world.calls).toEqual([]);
    world.turnAt(second);
    expect(world.calls).toEqual([second]);
    expect(world.spinning).toBe(false);
  });

  it("rests when asked for no time, and can be asked again", () => {
    const world = new FakeWorld();
    world.sleeper.wakeAt(100);
    world.sleeper.wakeAt(Number.POSITIVE_INFINITY);
    world.turnAt(150);
    expect(world.calls).toEqual([]);
    expect(world.spinning).toBe(false);
    world.sleeper.wakeAt(200);
    world.turnAt(200);
    expect(world.calls).toEqual([200]);
    world.sleeper.wakeAt(Number.POSITIVE_INFINITY);
    expect(world.spinning).toBe(false);
  });

  it("goes round but once a turn, however often it is asked", () => {
    const world = new FakeWorld();
    for (let i = 0; i < 5; i++) world.sleeper.wakeAt(100 + i);
    expect(vi.getTimerCount()).toBe(1);
    world.turnAt(200);
    expect(world.calls).toEqual([200]);
  });

  it("takes the next time from within a call", () => {
    const world = new FakeWorld();
    world.onCall = (nowNs) => {
      if (nowNs < 300) world.sleeper.wakeAt(nowNs + 100);
    };
    world.sleeper.wakeAt(100);
    for (let now = 0; now <= 500; now += 50) world.turnAt(now);
    expect(world.calls).toEqual([100, 200, 300]);
    expect(world.spinning).toBe(false);
  });

  it("calls no more once closed", () => {
    const world = new FakeWorld();
    world.sleeper.wakeAt(100);
    world.sleeper.close();
    world.turnAt(150);
    expect(world.calls).toEqual([]);
    expect(world.spinning).toBe(false);
  });
});

describe("the monotonic clock", () => {
  it("counts whole nanoseconds, never goes back, and agrees with the machine's", () => {
    const clock = createMonotonicClock();
    const readings = Array.from({ length: 1000 }, () => clock.nowNs());
    for (const [i, reading] of readings.entries()) {
      expect(Number.isSafeInteger(reading)).toBe(true);
      if (i > 0) expect(reading).toBeGreaterThanOrEqual(readings[i - 1]!);
    }
    const before = Number(process.hrtime.bigint());
    const between = clock.nowNs();
    const after = Number(process.hrtime.bigint());
    // A tie may be off by as much as reading both clocks takes: less than a microsecond; a thousand times that is asked here.
    expect(between).toBeGreaterThan(before - 1e6);
    expect(between).toBeLessThan(after + 1e6);
  });
});
