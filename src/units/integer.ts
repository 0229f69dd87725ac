import { type Parsed, parsed, unparsed } from "./parsed.js";

/** Reads a whole number from `min` to `max`; `10k` and `1M` are understood. */
export function parseInteger(text: string, min: number, max: number): Parsed<number> {
  const match = /^(-?\d+(?:\.\d+)?)([kM]?)$/.exec(text.trim());
  // By exponent and not by a product, which for 1.001k comes out a hair below 1001.
  const exponent = match?.[2] === "k" ? "e3" : match?.[2] === "M" ? "e6" : "";
  const value = match === null ? Number.NaN : Number(match[1] + exponent);
  if (!Number.isInteger(value) || value < min || value > max) {
    return unparsed(
      `"${text}" is not a whole number ${max >= Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
    );
  }
  return parsed(value);
}
