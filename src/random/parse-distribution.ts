import { formatDuration, parseDuration } from "../units/duration.js";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { parseProbability } from "../units/probability.js";
import type { Distribution } from "./distribution.js";

/** Shapes given apart from the name; each belongs to one kind and is refused beside another. */
export interface DistributionShape {
  /** Of `lognormal`: standard deviation of the logarithm. Default 1. */
  readonly sigma?: string;
  /** Of `pareto`: tail index. Default 2.5. */
  readonly alpha?: string;
  /** Of `bimodal`: share of the slow ones and how many times longer they take. Default `10%:10x`. */
  readonly modes?: string;
}

type ShapeName = keyof DistributionShape;

const DEFAULT_SHAPES: Readonly<Record<ShapeName, string>> = { sigma: "1", alpha: "2.5", modes: "10%:10x" };
const SHAPE_OF: Readonly<Record<string, ShapeName>> = { lognormal: "sigma", pareto: "alpha", bimodal: "modes" };

/**
 * Reads `exp`, `const`, `lognormal`, `pareto`, `bimodal` or `rare:5%:100ms`; the shape can follow the name
 * (`lognormal:1.5`, `pareto:2.2`, `bimodal:10%:10x`) or be given apart.
 *
 * @param meanNs the mean of the whole distribution, slow and rare ones included
 */
export function parseDistribution(text: string, meanNs: number, shape: DistributionShape = {}): Parsed<Distribution> {
  const [kind = "", ...rest] = text.trim().split(":");
  const own = SHAPE_OF[kind];
  for (const name of Object.keys(DEFAULT_SHAPES) as ShapeName[]) {
    if (shape[name] === undefined || name === own) continue;
    const owner = Object.keys(SHAPE_OF).find((candidate) => SHAPE_OF[candidate] === name);
    return unparsed(`"${text}" has no ${name}; that is the shape of ${owner}`);
  }
  const inline = rest.length > 0 ? rest.join(":") : undefined;
  const apart = own && shape[own];
  if (inline !== undefined && apart !== undefined && inline !== apart) {
    return unparsed(`"${text}" and ${own} ${apart} contradict each other; give one of them`);
  }
  const shapeText = inline ?? apart ?? (own ? DEFAULT_SHAPES[own] : undefined);
  switch (kind) {
    case "exp":
    case "const":
      if (shapeText !== undefined) return unparsed(`"${text}": ${kind} has no shape; write just ${kind}`);
      return parsed({ kind, meanNs });
    case "lognormal":
      return lognormal(meanNs, shapeText ?? "");
    case "pareto":
      return pareto(meanNs, shapeText ?? "");
    case "bimodal":
      return bimodal(meanNs, shapeText ?? "");
    case "rare":
      return rare(meanNs, shapeText ?? "");
    default:
      return unparsed(
        `"${text}" is not a distribution; write exp, const, lognormal, pareto, bimodal or one like rare:5%:100ms`,
      );
  }
}

function lognormal(meanNs: number, text: string): Parsed<Distribution> {
  const sigma = decimal(text);
  // At σ = 5 the mean already sits at the 99.4th percentile: beyond, no run gets near it.
  if (!(sigma > 0 && sigma <= 5)) return unparsed(`"${text}" is not a sigma; write a number above 0 and at most 5`);
  return parsed({ kind: "lognormal", meanNs, sigma });
}

function pareto(meanNs: number, text: string): Parsed<Distribution> {
  const alpha = decimal(text);
  if (!(alpha > 1)) {
    return unparsed(`"${text}" is not an alpha above 1; a Pareto tail of 1 or less has no mean. Usual: 1.5 to 3`);
  }
  return parsed({ kind: "pareto", meanNs, alpha });
}

function bimodal(meanNs: number, text: string): Parsed<Distribution> {
  const [shareText = "", factorText = "", ...more] = text.split(":");
  const slowShare = parseProbability(shareText);
  const slowFactor = parseFactor(factorText);
  if (more.length > 0 || !slowShare.ok || !slowFactor.ok) {
    return unparsed(
      `"${text}" is not a share and a factor; write it like 10%:10x, one in ten taking ten times as long`,
    );
  }
  return parsed({ kind: "bimodal", meanNs, slowShare: slowShare.value, slowFactor: slowFactor.value });
}

function rare(meanNs: number, text: string): Parsed<Distribution> {
  const [shareText = "", durationText = "", ...more] = text.split(":");
  const share = parseProbability(shareText);
  const duration = parseDuration(durationText);
  if (more.length > 0 || !share.ok || !duration.ok) {
    return unparsed(`"rare${text === "" ? "" : `:${text}`}" needs a share and a time; write it like rare:5%:100ms`);
  }
  const rareShare = share.value;
  const rareNs = duration.value;
  if (rareShare === 1) return unparsed(`"rare:${text}": all of them are not rare; write const`);
  if (rareShare * rareNs > meanNs) {
    const part = `${formatDuration(rareShare * rareNs)} of the mean, which is to be ${formatDuration(meanNs)}`;
    return unparsed(`"rare:${text}": the rare ones alone make ${part}; raise the mean, or make them shorter or rarer`);
  }
  return parsed({ kind: "rare", meanNs, rareShare, rareNs });
}

/** Reads a factor such as `2x` or `2.5`. @returns a number of at least 1. */
export function parseFactor(text: string): Parsed<number> {
  const factor = decimal(text.trim().replace(/x$/, ""));
  return factor >= 1 ? parsed(factor) : unparsed(`"${text}" is not a factor; write it like 2x, at least 1x`);
}

function decimal(text: string): number {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
}
