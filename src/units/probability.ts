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

/** `3.1 %`, `0.04 %`, `100 %`: two significant digits, and never 100 % or 0 % for what is not all or nothing. */
export function formatShare(fraction: number): string {
  const percent = fraction * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.001) return "< 0.001 %";
  const digits = percent > 99 || percent < 1 ? 3 : 1;
  return `${Number(Math.min(percent, 99.999).toFixed(digits))} %`;
}
