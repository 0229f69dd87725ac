import { describe, expect, it } from "vitest";
import type { ArrivalDraw } from "../random/arrival-draws.js";
import type { Behaviour } from "./behaviour.js";
import { DEFAULT_SERVER_CONFIG } from "./config.js";
import { type ArrivalState, ServiceTimes } from "./service.js";

const S = 1_000_000_000;
const DRAW: ArrivalDraw = { serviceNs: 1000, slow: false, locks: false, fails: false, resets: false };
const WARM: ArrivalState = { inSystem: 0, idleNs: 0, overloadFactor: 1 };

const times = (knobs: Partial<Behaviour>) => new ServiceTimes({ ...DEFAULT_SERVER_CONFIG, ...knobs });

describe("ServiceTimes", () => {
  it("is the draw if no knob is turned", () => {
    expect(times({}).workNs(DRAW, { inSystem: 9, idleNs: 0, overloadFactor: 1 })).toBe(1000);
  });

  it("grows by the load factor for each in the system", () => {
    const service = times({ loadFactor: 0.1 });
    expect([0, 1, 10].map((inSystem) => service.workNs(DRAW, { ...WARM, inSystem }))).toEqual([1000, 1100, 2000]);
  });

  it("is ten times as long when cold, falling in a straight line to once", () => {
    const service = times({ cold: 3 });
    expect([0, 1, 2, 3, 4].map(() => service.workNs(DRAW, WARM))).toEqual([10_000, 7000, 4000, 1000, 1000]);
  });

  it("is cold again for the first after an idle second", () => {
    const service = times({ cold: 1 });
    service.workNs(DRAW, WARM);
    expect(service.workNs(DRAW, { ...WARM, idleNs: S - 1 })).toBe(1000);
    expect(service.workNs(DRAW, { ...WARM, idleNs: S })).toBe(10_000);
    expect(service.workNs(DRAW, WARM)).toBe(1000);
    expect(times({}).workNs(DRAW, { ...WARM, idleNs: S })).toBe(1000);
  });

  it("of a slow one is exactly what was asked for, whatever else holds", () => {
    const service = times({ slowNs: 77, cold: 100, loadFactor: 1 });
    expect(service.workNs({ ...DRAW, slow: true }, { inSystem: 5, idleNs: 2 * S, overloadFactor: 3 })).toBe(77);
  });

  it("multiplies load, cold and overload, in whole nanoseconds", () => {
    const service = times({ cold: 1, loadFactor: 0.3333 });
    expect(service.workNs(DRAW, { inSystem: 1, idleNs: 0, overloadFactor: 2 })).toBe(26_666);
  });
});
