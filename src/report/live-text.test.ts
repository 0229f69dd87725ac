import { describe, expect, it } from "vitest";
import { type LiveNumbers, liveLine } from "./live-text.js";

const now: LiveNumbers = {
  elapsedMs: 12_345,
  durationMs: 30_000,
  warmingUp: false,
  sent: 621,
  errors: 0,
  timeouts: 0,
  inFlight: 2,
  p50Ms: 5.12,
  p99Ms: 31,
};

describe("the live line", () => {
  it.each<readonly [string, Partial<LiveNumbers>, number | null, string]>([
    ["an open loop", {}, 50, "12s/30s · 621 sent · 50.3/s of 50/s · 2 in flight · p50 5.12 ms · p99 31.0 ms"],
    ["a closed loop", {}, null, "12s/30s · 621 sent · 50.3/s · 2 in flight · p50 5.12 ms · p99 31.0 ms"],
    ["no end in time", { durationMs: null }, null, "12s · 621 sent · 50.3/s · 2 in flight · p50 5.12 ms · p99 31.0 ms"],
    [
      "a warm-up, with nothing measured yet",
      { warmingUp: true, p50Ms: null, p99Ms: null },
      50,
      "12s/30s · warming up · 621 sent · 50.3/s of 50/s · 2 in flight",
    ],
    [
      "failures",
      { errors: 1234, timeouts: 5 },
      50,
      "12s/30s · 621 sent · 50.3/s of 50/s · 2 in flight · 1,234 errors · 5 timeouts · p50 5.12 ms · p99 31.0 ms",
    ],
    ["a low rate", { sent: 1 }, 0.1, "12s/30s · 1 sent · 0.081/s of 0.1/s · 2 in flight · p50 5.12 ms · p99 31.0 ms"],
    [
      "the wait for the last ones: the rate is that of the schedule's time",
      { elapsedMs: 45_000, sent: 1500 },
      50,
      "45s/30s · 1,500 sent · 50/s of 50/s · 2 in flight · p50 5.12 ms · p99 31.0 ms",
    ],
    [
      "the very start",
      { elapsedMs: 0, sent: 0 },
      50,
      "0s/30s · 0 sent · 0/s of 50/s · 2 in flight · p50 5.12 ms · p99 31.0 ms",
    ],
  ])("of %s", (_, numbers, targetPerS, line) => {
    expect(liveLine({ ...now, ...numbers }, targetPerS)).toBe(line);
  });
});
