import { describe, expect, it } from "vitest";
import { type ArrivalChances, createArrivalDraws } from "./arrival-draws.js";

const PLAIN: ArrivalChances = {
  service: { kind: "exp", meanNs: 5_000_000 },
  slowProbability: 0,
  slowBy: "arrival",
  lockProbability: 0,
  failProbability: 0,
  resetProbability: 0,
};
const EVERYTHING: ArrivalChances = {
  ...PLAIN,
  slowProbability: 0.3,
  lockProbability: 0.2,
  failProbability: 0.1,
  resetProbability: 0.05,
};

function draws(chances: ArrivalChances, seed: number, n: number, key: (i: number) => string = () => "/") {
  const next = createArrivalDraws(chances, seed);
  return Array.from({ length: n }, (_, i) => next(key(i)));
}

describe("createArrivalDraws", () => {
  it("gives the i-th arrival the i-th draw, whatever else is turned on", () => {
    const plain = draws(PLAIN, 1, 1000);
    const all = draws(EVERYTHING, 1, 1000);
    expect(all.map((draw) => draw.serviceNs)).toEqual(plain.map((draw) => draw.serviceNs));
    const onlyLocks = draws({ ...PLAIN, lockProbability: 0.2 }, 1, 1000);
    expect(onlyLocks.map((draw) => draw.locks)).toEqual(all.map((draw) => draw.locks));
  });

  it("gives equal seeds equal draws, and others others", () => {
    expect(draws(EVERYTHING, 1, 100)).toEqual(draws(EVERYTHING, 1, 100));
    expect(draws(EVERYTHING, 1, 100)).not.toEqual(draws(EVERYTHING, 2, 100));
  });

  it("draws each share as often as asked, each on its own", () => {
    const all = draws(EVERYTHING, 5, 50_000);
    const share = (of: (draw: (typeof all)[number]) => boolean) => all.filter(of).length / all.length;
    expect(share((draw) => draw.slow)).toBeCloseTo(0.3, 2);
    expect(share((draw) => draw.locks)).toBeCloseTo(0.2, 2);
    expect(share((draw) => draw.fails)).toBeCloseTo(0.1, 2);
    expect(share((draw) => draw.resets)).toBeCloseTo(0.05, 2);
    expect(share((draw) => draw.slow && draw.locks)).toBeCloseTo(0.06, 2);
  });

  it("by request, slowness belongs to the key and to nothing else", () => {
    const byRequest: ArrivalChances = { ...PLAIN, slowProbability: 0.3, slowBy: "request" };
    const once = draws(byRequest, 1, 1000, (i) => `/${i}`).map((draw) => draw.slow);
    const backwards = draws(byRequest, 99, 1000, (i) => `/${999 - i}`).map((draw) => draw.slow);
    expect(backwards.reverse()).toEqual(once);
    expect(once.filter(Boolean).length).toBeGreaterThan(250);
    expect(once.filter(Boolean).length).toBeLessThan(350);
  });
});
