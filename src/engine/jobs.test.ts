import { describe, expect, it } from "vitest";
import type { RunFlags } from "../plan/flags.js";
import { planOf } from "../plan/resolve.testkit.js";
import { dealJobs } from "./jobs.js";
import type { Job } from "./messages.js";
import { baseJob } from "./virtual-world.testkit.js";

const { endpoint, request } = baseJob();
const deal = (flags: RunFlags) => dealJobs(planOf(flags), { endpoint, request, samples: true, descriptorLimit: 1024 });
const one = (flags: RunFlags): Job => deal(flags)[0]!;

describe("a job", () => {
  it("is the plan in nanoseconds", () => {
    expect(
      one({ duration: "30s", warmup: "1.5s", timeout: "250ms", seed: "7", pacing: "spin", expectStatus: "2xx" }),
    ).toMatchObject({
      endpoint,
      request,
      load: { kind: "open", arrivals: "poisson", ratePerS: 50 },
      seed: 7,
      share: { index: 0, of: 1 },
      durationNs: 30e9,
      requests: Number.POSITIVE_INFINITY,
      warmupNs: 1.5e9,
      timeoutNs: 250e6,
      keepAlive: true,
      expectStatus: [[200, 299]],
      pacing: "spin",
      samples: true,
      descriptorLimit: 1024,
    });
  });

  it("has no end where the plan has none", () => {
    expect(one({ requests: "10", timeout: "0" })).toMatchObject({
      durationNs: Number.POSITIVE_INFINITY,
      requests: 10,
      timeoutNs: Number.POSITIVE_INFINITY,
    });
  });

  it("of a closed loop has users, and their times", () => {
    expect(one({ closed: "4", think: "1.5ms", expectedInterval: "5ms" }).load).toEqual({
      kind: "closed",
      users: 4,
      thinkNs: 1.5e6,
      expectedIntervalNs: 5e6,
    });
    expect(one({ closed: "4" }).load).toMatchObject({ thinkNs: 0, expectedIntervalNs: null });
  });
});

describe("jobs of several threads", () => {
  const jobs = deal({ threads: "4", connections: "10", maxInFlight: "101", rate: "1000" });
  const closed = deal({ threads: "3", closed: "8" });

  it("are shares of one schedule", () => {
    expect(jobs.map(({ share }) => share)).toEqual([0, 1, 2, 3].map((index) => ({ index, of: 4 })));
    expect(new Set(jobs.map(({ load }) => load.kind === "open" && load.ratePerS))).toEqual(new Set([1000]));
  });

  it("share out what there is a number of, to the last one", () => {
    expect(jobs.map(({ maxConnections }) => maxConnections)).toEqual([3, 3, 2, 2]);
    expect(jobs.map(({ maxInFlight }) => maxInFlight)).toEqual([26, 25, 25, 25]);
    expect(closed.map(({ load }) => load.kind === "closed" && load.users)).toEqual([3, 3, 2]);
  });

  it("have counts of their own, and one place where all see who is on the wire", () => {
    expect(new Set(jobs.map(({ cells }) => cells)).size).toBe(4);
    expect(new Set(jobs.map(({ onTheWire }) => onTheWire)).size).toBe(1);
    expect(jobs[0]!.onTheWire.byteLength).toBe(16);
  });
});

describe("connections opened before the clock starts", () => {
  it.each<readonly [RunFlags, readonly number[]]>([
    [{}, [2]],
    [{ rate: "1000" }, [20]],
    [{ rate: "1000", threads: "2" }, [10, 10]],
    [{ rate: "50k", yes: true }, [64]],
    [{ connections: "5" }, [5]],
    [{ connections: "5", threads: "2" }, [3, 2]],
    [{ closed: "9", threads: "2" }, [5, 4]],
    [{ closed: "9", connections: "3" }, [3]],
    [{ closed: "9", connections: "3", threads: "2" }, [2, 1]],
    [{ keepalive: false }, [0]],
    [{ keepalive: false, closed: "9" }, [0]],
    [{ rate: "1000", maxInFlight: "7" }, [7]],
  ])("%j: %j", (flags, preopen) => {
    expect(deal(flags).map((job) => job.preopen)).toEqual(preopen);
  });
});

describe("the width of a window", () => {
  it.each<readonly [RunFlags, number]>([
    [{ duration: "30s" }, 118],
    [{ duration: "40s", warmup: "10s" }, 118],
    [{ duration: "1s" }, 50],
    [{ duration: "12.8s" }, 50],
    [{ duration: "12.801s" }, 51],
    [{ duration: "1h" }, 14_063],
    [{ requests: "3000" }, 235],
    [{ requests: "3000", duration: "30s" }, 118],
    [{ requests: "3000", duration: "1h" }, 235],
    [{ requests: "10", duration: "1h" }, 50],
    [{ closed: "4", requests: "3000" }, 50],
    [{ closed: "4", requests: "3000", duration: "30s" }, 118],
  ])("of %j is %d ms", (flags, widthMs) => {
    expect(one(flags).windowNs).toBe(widthMs * 1e6);
  });
});
