import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Admission, TokenBucket } from "./admission.js";

const S = 1_000_000_000;
const IDLE = { waiting: 0, hasFreeWorker: true };

describe("TokenBucket", () => {
  it("lets a second's worth through at once and then one each interval", () => {
    const bucket = new TokenBucket(100);
    for (let i = 0; i < 100; i++) expect(bucket.take(7 * S)).toBe(0);
    expect(bucket.take(7 * S)).toBe(S / 100);
    expect(bucket.take(7.009 * S)).toBe(S / 1000);
    expect(bucket.take(7.01 * S)).toBe(0);
    expect(bucket.take(7.01 * S)).toBe(S / 100);
  });

  it("holds one token where there is less than one a second", () => {
    const bucket = new TokenBucket(0.5);
    expect(bucket.take(0)).toBe(0);
    expect(bucket.take(0)).toBe(2 * S);
    expect(bucket.take(2 * S)).toBe(0);
  });

  it("admits at most rate·t + one bucket over any time, and all of a stream at its rate", () => {
    const rates = fc.double({ min: 1, max: 5000, noNaN: true });
    fc.assert(
      fc.property(rates, fc.array(fc.nat(S / 50), { maxLength: 500 }), (rate, gapsNs) => {
        const flooded = new TokenBucket(rate);
        const steady = new TokenBucket(rate);
        let nowNs = 0;
        let admitted = 0;
        gapsNs.forEach((gapNs, i) => {
          nowNs += gapNs;
          if (flooded.take(nowNs) === 0) admitted++;
          expect(steady.take((i * S) / rate)).toBe(0);
        });
        expect(admitted).toBeLessThanOrEqual((rate * nowNs) / S + rate + 1e-6);
      }),
    );
  });
});

describe("Admission", () => {
  it("admits everyone by default", () => {
    const admission = new Admission(0, undefined);
    expect(admission.refusal(0, { waiting: 1e6, hasFreeWorker: false })).toBeUndefined();
  });

  it.each([
    [2, 1, false, false],
    [2, 2, false, true],
    [2, 3, false, true],
    [0, 0, true, false],
    [0, 0, false, true],
  ])("queue limit %d, %d waiting, free worker %s: refuses %s", (limit, waiting, hasFreeWorker, refuses) => {
    const refusal = new Admission(0, limit).refusal(0, { waiting, hasFreeWorker });
    expect(refusal).toEqual(refuses ? { kind: "queue-full" } : undefined);
  });

  it("says after how many whole seconds to come again", () => {
    const admission = new Admission(0.4, undefined);
    expect(admission.refusal(0, IDLE)).toBeUndefined();
    expect(admission.refusal(0, IDLE)).toEqual({ kind: "over-limit", retryAfterS: 3 });
    expect(admission.refusal(2.4 * S, IDLE)).toEqual({ kind: "over-limit", retryAfterS: 1 });
  });
});
