import { type Parsed, parsed, unparsed } from "./parsed.js";

/** Times are whole nanoseconds, so nothing can be asked to happen more often. */
const MOST_PER_S = 1e9;
const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600 };

/**
 * Reads a rate such as `50`, `50/s`, `2.5k/s` or `600/m`.
 *
 * @returns events per second, above zero. Without a unit it is per second, as every load tester has it.
 */
export function parseRate(text: string): Parsed<number> {
  const match = /^(-?\d+(?:\.\d+)?)(k?)(?:\/(s|sec|m|min|h))?$/i.exec(text.trim());
  if (match === null) return unparsed(`"${text}" is not a rate; write it like 50, 50/s, 2.5k/s or 600/m`);
  const events = Number(match[1]) * (match[2] === "" ? 1 : 1000);
  if (!(events > 0)) return unparsed(`"${text}" is not above zero; a rate is like 50/s`);
  const perSecond = events / (SECONDS_PER_UNIT[(match[3] ?? "s").toLowerCase()] ?? 1);
  if (perSecond > MOST_PER_S) return unparsed(`"${text}" is more than one in a nanosecond`);
  return parsed(perSecond);
}

/** `50/s`, `1,250/s`, `0.0017/s`. */
export function formatRate(perSecond: number): string {
  return `${formatCount(perSecond)}/s`;
}

/**
 * Thousands separated, up to one digit after the point below 1,000, two below 10, and two significant ones below 1, so that little
 * does not read as nothing: `60,000`, `199.8`, `2.35`, `0.0017`.
 */
export function formatCount(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 1000 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 1 - Math.floor(Math.log10(size));
  const [whole = "0", fraction = ""] = size.toFixed(Math.min(digits, 100)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const kept = fraction.replace(/0+$/, "");
  return `${value < 0 ? "-" : ""}${grouped}${kept === "" ? "" : `.${kept}`}`;
}
