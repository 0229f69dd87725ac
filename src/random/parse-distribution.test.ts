import { describe, expect, it } from "vitest";
import { type DistributionShape, parseDistribution, parseFactor } from "./parse-distribution.js";

const MEAN_NS = 10_000_000;

describe("parseDistribution", () => {
  it.each<[string, DistributionShape, object]>([
    ["exp", {}, { kind: "exp" }],
    [" const ", {}, { kind: "const" }],
    ["lognormal", {}, { kind: "lognormal", sigma: 1 }],
    ["lognormal:1.5", {}, { kind: "lognormal", sigma: 1.5 }],
    ["lognormal", { sigma: "0.5" }, { kind: "lognormal", sigma: 0.5 }],
    ["pareto", {}, { kind: "pareto", alpha: 2.5 }],
    ["pareto:1.1", {}, { kind: "pareto", alpha: 1.1 }],
    ["bimodal", {}, { kind: "bimodal", slowShare: 0.1, slowFactor: 10 }],
    ["bimodal", { modes: "20%:4x" }, { kind: "bimodal", slowShare: 0.2, slowFactor: 4 }],
    ["rare:5%:100ms", {}, { kind: "rare", rareShare: 0.05, rareNs: 100_000_000 }],
    ["rare:0.1:100ms", {}, { kind: "rare", rareShare: 0.1, rareNs: 100_000_000 }],
  ])("reads %s with %o", (text, shape, expected) => {
    expect(parseDistribution(text, MEAN_NS, shape)).toEqual({ ok: true, value: { ...expected, meanNs: MEAN_NS } });
  });

  it.each<[string, DistributionShape, RegExp]>([
    ["normal", {}, /"normal" is not a distribution; write exp, const/],
    ["", {}, /not a distribution/],
    ["exp:2", {}, /exp has no shape/],
    ["exp", { sigma: "1" }, /"exp" has no sigma; that is the shape of lognormal/],
    ["pareto", { modes: "1%:2x" }, /has no modes; that is the shape of bimodal/],
    ["lognormal:1", { sigma: "2" }, /contradict/],
    ["lognormal:0", {}, /above 0/],
    ["lognormal:x", {}, /"x" is not a sigma/],
    ["pareto:1", {}, /no mean/],
    ["pareto:-2", {}, /alpha above 1/],
    ["bimodal:10%", {}, /like 10%:10x/],
    ["bimodal:10%:0.5x", {}, /like 10%:10x/],
    ["rare", {}, /write it like rare:5%:100ms/],
    ["rare:5%", {}, /write it like rare:5%:100ms/],
    ["rare:5%:100", {}, /write it like rare:5%:100ms/],
    ["rare:5%:100ms:1", {}, /write it like rare:5%:100ms/],
    ["rare:100%:5ms", {}, /not rare/],
    ["rare:50%:100ms", {}, /alone make 50.0 ms of the mean, which is to be 10.0 ms/],
  ])("refuses %s with %o", (text, shape, problem) => {
    const result = parseDistribution(text, MEAN_NS, shape);
    expect(result.ok ? "" : result.problem).toMatch(problem);
  });
});

describe("parseFactor", () => {
  it.each([
    ["2x", 2],
    ["2.5", 2.5],
    ["1x", 1],
  ])("reads %s", (text, value) => expect(parseFactor(text)).toEqual({ ok: true, value }));

  it.each(["0.5x", "x", "-2x", "2y", ""])("refuses %s", (text) => expect(parseFactor(text).ok).toBe(false));
});
