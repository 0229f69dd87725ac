import { type Parsed, parsed, unparsed } from "./parsed.js";

/** Reads a probability such as `0.03` or `3%`. @returns a fraction from 0 to 1. */
export function parseProbability(text: string): Parsed<number> {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  const fraction = match === null ? Number.NaN : Number(match[1]) / (match[2] === "%" ? 100 : 1);
  if (!(fraction >= 0 && fraction <= 1)) {
    return unparsed(`"${text}" is not a probability; write it like 0.03 or 3%, from 0 to 1 (0% to 100%)`);
  }
  return parsed(fraction);
}

/**
 * `3.1 %`, `0.04 %`, `99.98 %`, `100 %`: a tenth of a percent, and a thousandth within 1 % of none or all, so that what is not all
 * or nothing never reads 100 % or 0 %.
 */
export function formatShare(fraction: number): string {
  if (fraction === 0 || fraction === 1) return `${fraction * 100} %`;
  const percent = fraction * 100;
  if (fraction < 1 && percent < 0.001) return "< 0.001 %";
  if (fraction < 1 && percent >= 99.9995) return "> 99.999 %";
  const digits = percent < 1 || (percent > 99 && percent < 101) ? 3 : 1;
  return `${Number(percent.toFixed(digits))} %`;
}
