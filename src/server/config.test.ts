import { describe, expect, it } from "vitest";
import { capacityPerS } from "./capacity.js";
import { DEFAULT_SERVER_CONFIG, resolveServerConfig, type ServeFlags, type ServerConfig } from "./config.js";
import { describeBehaviour } from "./describe.js";

const MS = 1_000_000;

function configOf(flags: ServeFlags): ServerConfig {
  const resolution = resolveServerConfig(flags);
  if (!resolution.ok) throw new Error(resolution.problems.join("; "));
  return resolution.config;
}

function problemsOf(flags: ServeFlags): readonly string[] {
  const resolution = resolveServerConfig(flags);
  return resolution.ok ? [] : resolution.problems;
}

describe("resolveServerConfig", () => {
  it("without flags gives the defaults", () => {
    expect(configOf({})).toEqual(DEFAULT_SERVER_CONFIG);
  });

  it.each<[ServeFlags, Partial<ServerConfig>]>([
    [
      { host: "[::1]", port: "0" },
      { host: "::1", port: 0 },
    ],
    [
      { workers: "0", service: "0ms" },
      { workers: 0, service: { kind: "exp", meanNs: 0 } },
    ],
    [
      { service: "10ms", dist: "rare:5%:100ms" },
      { service: { kind: "rare", meanNs: 10 * MS, rareShare: 0.05, rareNs: 100 * MS } },
    ],
    [{ dist: "lognormal", sigma: "2" }, { service: { kind: "lognormal", meanNs: 5 * MS, sigma: 2 } }],
    [
      { slowProb: "0.03", slow: "100ms" },
      { slowProbability: 0.03, slowNs: 100 * MS, slowBy: "arrival" },
    ],
    [{ slowProb: "3%", slow: "1s", slowBy: "request" }, { slowBy: "request" }],
    [
      { stallEvery: "5s", stall: "500ms" },
      { stallEveryNs: 5000 * MS, stallNs: 500 * MS },
    ],
    [
      { loadFactor: "0.05", cold: "200" },
      { loadFactor: 0.05, cold: 200 },
    ],
    [{ lock: "2%:40ms" }, { lockProbability: 0.02, lockNs: 40 * MS }],
    [
      { limit: "100/s", queueLimit: "0" },
      { limitPerS: 100, queueLimit: 0 },
    ],
    [{ afterOverload: "5s:2x" }, { afterOverloadNs: 5000 * MS, afterOverloadFactor: 2 }],
    [
      { failProb: "1%", failStatus: "503", resetProb: "0.5%" },
      { failProbability: 0.01, failStatus: 503, resetProbability: 0.005 },
    ],
    [
      { bodySize: "16k", cancel: true, seed: "7", pacing: "spin" },
      { bodyBytes: 16384, cancel: true, seed: 7, pacing: "spin" },
    ],
  ])("reads %o", (flags, expected) => expect(configOf(flags)).toMatchObject(expected));

  it.each<[ServeFlags, RegExp]>([
    [{ host: "" }, /^--host: "" is not a host/],
    [{ host: "http://x" }, /^--host: /],
    [{ port: "65536" }, /^--port: .*0 to 65535/],
    [{ workers: "-1" }, /^--workers: /],
    [{ service: "5" }, /^--service: "5" has no unit; write 5s, 5ms or 5us/],
    [{ dist: "gauss" }, /^--dist: "gauss" is not a distribution/],
    [{ alpha: "2" }, /^--dist: "exp" has no alpha/],
    [{ slowProb: "3%" }, /^--slow-prob does nothing by itself; add --slow 100ms/],
    [{ slow: "3ms" }, /^--slow does nothing by itself/],
    [{ slowBy: "request" }, /^--slow-by does nothing by itself/],
    [{ slowProb: "3%", slow: "1s", slowBy: "user" }, /^--slow-by: "user" is not one of arrival, request/],
    [{ stall: "1s" }, /^--stall does nothing by itself/],
    [{ stallEvery: "1s" }, /^--stall-every does nothing by itself/],
    [{ stallEvery: "0", stall: "1s" }, /^--stall-every: "0" is no time at all/],
    [{ loadFactor: "-1" }, /^--load-factor: /],
    [{ lock: "2%" }, /^--lock: .*2%:40ms/],
    [{ lock: "40ms:2%" }, /^--lock: .*2%:40ms/],
    [{ limit: "0" }, /^--limit: /],
    [{ queueLimit: "5", workers: "0" }, /^--queue-limit does nothing with --workers 0/],
    [{ afterOverload: "5s" }, /^--after-overload: .*5s:2x/],
    [{ afterOverload: "5s:2x", workers: "0" }, /^--after-overload does nothing with --workers 0/],
    [{ failStatus: "503" }, /^--fail-status does nothing by itself/],
    [{ failProb: "1%", failStatus: "200" }, /^--fail-status: .*400 to 599/],
    [{ resetProb: "101%" }, /^--reset-prob: /],
    [{ bodySize: "2GB" }, /^--body-size: .*1GB/],
    [{ pacing: "fast" }, /^--pacing: .*auto, spin, sleep/],
  ])("refuses %o in one line", (flags, problem) => {
    expect(problemsOf(flags)).toEqual([expect.stringMatching(problem)]);
    expect(problemsOf(flags)[0]).not.toContain("\n");
  });

  it("reports everything at once, and no problem that only follows from another", () => {
    const problems = problemsOf({ service: "10", dist: "rare:50%:1s", port: "x", stall: "1s", seed: "1.5" });
    expect(problems.map((problem) => problem.split(/[: ]/)[0])).toEqual(["--port", "--service", "--seed", "--stall"]);
  });
});

describe("capacityPerS", () => {
  it.each<[Partial<ServerConfig>, number]>([
    [{}, 200],
    [{ workers: 4 }, 800],
    [{ workers: 0 }, Number.POSITIVE_INFINITY],
    [{ slowProbability: 0.05, slowNs: 105 * MS }, 100],
    [{ stallEveryNs: 5000 * MS, stallNs: 500 * MS }, 200 / 1.1],
    [{ lockProbability: 0.5, lockNs: 10 * MS }, 100],
    [{ workers: 0, lockProbability: 0.02, lockNs: 40 * MS }, 1250],
    [{ limitPerS: 150 }, 150],
  ])("with %o is %d", (knobs, capacity) => {
    expect(capacityPerS({ ...DEFAULT_SERVER_CONFIG, ...knobs })).toBeCloseTo(capacity, 9);
  });
});

describe("describeBehaviour", () => {
  it.each<[ServeFlags, string]>([
    [{}, "1 worker · exp 5 ms → capacity 200/s · seed 1"],
    [{ workers: "0", dist: "const", seed: "2" }, "unlimited workers · const 5 ms · seed 2"],
    [
      { workers: "2000", service: "10ms", dist: "rare:5%:100ms" },
      "2,000 workers · rare 10 ms (5 % take 100 ms) → capacity 200,000/s · seed 1",
    ],
    [
      { slowProb: "3%", slow: "100ms", slowBy: "request", cancel: true },
      "1 worker · exp 5 ms · 3 % slow 100 ms by request · hang-ups cancel → capacity 127.4/s · seed 1",
    ],
  ])("of %o", (flags, line) => expect(describeBehaviour(configOf(flags))).toBe(line));
});
