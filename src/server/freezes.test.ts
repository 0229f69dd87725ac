import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEVER_FROZEN, PeriodicFreezes } from "./freezes.js";

const S = 1_000_000_000;

/** 5 s of running, 0.5 s frozen, from clock reading 1000 s on. */
function freezes(): PeriodicFreezes {
  const periodic = new PeriodicFreezes(5 * S, 0.5 * S);
  periodic.anchor(1000 * S);
  return periodic;
}

describe("PeriodicFreezes", () => {
  it.each([
    [1000, 0],
    [1002, 2],
    [1005, 5],
    [1005.25, 5],
    [1005.5, 5],
    [1006, 5.5],
    [1010.5, 10],
    [1011, 10],
    [1016, 14.5 + 0.5],
  ])("at %d s has been active for %d s", (clockS, activeS) => {
    expect(freezes().activeNs(clockS * S)).toBe(activeS * S);
  });

  it.each([
    [0, 1000],
    [2, 1002],
    [5, 1005],
    [5.5, 1006],
    [10, 1010.5],
    [10.000000001, 1011.000000001],
  ])("has been active for %d s first at %d s", (activeS, clockS) => {
    expect(freezes().clockNs(Math.round(activeS * S))).toBe(Math.round(clockS * S));
  });

  it.each([
    [1004.999999999, 1004.999999999],
    [1005, 1005.5],
    [1005.3, 1005.5],
    [1005.5, 1005.5],
    [1010.7, 1011],
  ])("at %d s next runs at %d s", (clockS, thawedS) => {
    expect(freezes().thawedNs(Math.round(clockS * S))).toBe(Math.round(thawedS * S));
  });

  it.each([
    [1001, 2, 1003],
    [1004, 1, 1005],
    [1004, 2, 1006.5],
    [1005.5, 0, 1005.5],
    [1005.5, 5, 1010.5],
    [1000, 100, 1109.5],
  ])("work begun at %d s of %d s ends at %d s", (startS, workS, endS) => {
    expect(freezes().finishNs(startS * S, workS * S)).toBe(endS * S);
  });

  it("both directions undo each other, and nothing ends while it stands still", () => {
    const ns = fc.integer({ min: 1, max: 10_000 });
    const anchor = fc.integer({ min: 0, max: 2 ** 50 });
    fc.assert(
      fc.property(ns, ns, anchor, fc.nat(1e6), fc.nat(1e6), (everyNs, stallNs, anchorNs, offsetNs, workNs) => {
        const periodic = new PeriodicFreezes(everyNs, stallNs);
        periodic.anchor(anchorNs);
        expect(periodic.activeNs(periodic.clockNs(workNs))).toBe(workNs);
        const startNs = periodic.thawedNs(anchorNs + offsetNs);
        expect(periodic.thawedNs(startNs)).toBe(startNs);
        const endNs = periodic.finishNs(startNs, workNs);
        expect(periodic.activeNs(endNs) - periodic.activeNs(startNs)).toBe(workNs);
        // A nanosecond earlier it was not done yet.
        if (workNs > 0) expect(periodic.activeNs(endNs - 1) - periodic.activeNs(startNs)).toBe(workNs - 1);
        else expect(endNs).toBe(startNs);
      }),
    );
  });

  it("keeps its first anchor, and freezes nothing before it has one", () => {
    const periodic = new PeriodicFreezes(5 * S, 0.5 * S);
    expect(periodic.thawedNs(5.2 * S)).toBe(5.2 * S);
    periodic.anchor(10 * S);
    periodic.anchor(12 * S);
    expect(periodic.thawedNs(15.2 * S)).toBe(15.5 * S);
  });
});

describe("NEVER_FROZEN", () => {
  it("leaves time as it is", () => {
    expect(NEVER_FROZEN.finishNs(NEVER_FROZEN.thawedNs(3), 4)).toBe(7);
    expect(NEVER_FROZEN.clockNs(NEVER_FROZEN.activeNs(5))).toBe(5);
  });
});
