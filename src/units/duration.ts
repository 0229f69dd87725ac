import { type Parsed, parsed, unparsed } from "./parsed.js";

export const NS_PER_US = 1e3;
export const NS_PER_MS = 1e6;
export const NS_PER_S = 1e9;

const NS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1,
  us: NS_PER_US,
  µs: NS_PER_US,
  // The Greek letter, which many keyboards give in place of the micro sign.
  μs: NS_PER_US,
  ms: NS_PER_MS,
  s: NS_PER_S,
  m: 60 * NS_PER_S,
  min: 60 * NS_PER_S,
  h: 3600 * NS_PER_S,
};

const PART = /(\d+)(\.\d+)?(ns|us|µs|μs|ms|min|s|m|h)/y;

/**
 * Reads a duration such as `500us`, `1.5s` or `1m30s`.
 *
 * @returns nanoseconds, rounded to an integer, never negative. A number without a unit is refused: whether `30`
 * means seconds or milliseconds is exactly what a reader of a command line cannot know.
 */
export function parseDuration(text: string): Parsed<number> {
  const trimmed = text.trim();
  if (/^0+$/.test(trimmed)) return parsed(0);
  if (trimmed.startsWith("-")) return unparsed(`"${text}" is negative; a duration is like 30s, 5ms or 1m30s`);
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    return unparsed(`"${text}" has no unit; write ${trimmed}s, ${trimmed}ms or ${trimmed}us`);
  }
  let totalNs = 0;
  PART.lastIndex = 0;
  let consumed = 0;
  for (let match = PART.exec(trimmed); match !== null; match = PART.exec(trimmed)) {
    const [, whole, fraction = "0", unit = ""] = match;
    const unitNs = NS_PER_UNIT[unit] ?? Number.NaN;
    // Apart, so that the whole part stays exact: taken as one number 9000000.1s would be off by a nanosecond.
    totalNs += Number(whole) * unitNs + Number(fraction) * unitNs;
    consumed = PART.lastIndex;
  }
  if (consumed === 0 || consumed !== trimmed.length) {
    return unparsed(`"${text}" is not a duration; write it like 500us, 5ms, 30s, 2m or 1h`);
  }
  if (totalNs > Number.MAX_SAFE_INTEGER) return unparsed(`"${text}" is too long; times are kept up to 2501h`);
  return parsed(Math.round(totalNs));
}

/** Three significant digits and the unit that reads best: `950 µs`, `5.02 ms`, `1.25 s`, `2m 05s`. */
export function formatDuration(ns: number): string {
  if (!Number.isFinite(ns)) return ns > 0 ? "∞" : "–";
  const size = Math.abs(ns);
  if (size < 999.5) return `${Math.round(ns)} ns`;
  if (size < 999.5 * NS_PER_US) return `${significant(ns / NS_PER_US)} µs`;
  if (size < 999.5 * NS_PER_MS) return `${significant(ns / NS_PER_MS)} ms`;
  if (size < 119.5 * NS_PER_S) return `${significant(ns / NS_PER_S)} s`;
  const seconds = Math.round(size / NS_PER_S);
  const minutes = Math.round(size / (60 * NS_PER_S));
  const sign = ns < 0 ? "-" : "";
  const pad = (part: number) => String(part).padStart(2, "0");
  if (seconds < 3600) return `${sign}${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${sign}${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/**
 * A short spelling that {@link parseDuration} reads back exactly, for plans: `30s`, `1.5s`, `1500us`.
 *
 * @param ns a whole number, from 0
 */
export function spellDuration(ns: number): string {
  if (ns === 0) return "0s";
  for (const unit of ["h", "m", "s", "ms", "us", "ns"]) {
    const unitNs = NS_PER_UNIT[unit] ?? 1;
    // By remainder: at many hours a quotient off by a nanosecond rounds to a whole number.
    const inTenths = unit === "s" && ns > unitNs;
    if (ns % (inTenths ? unitNs / 10 : unitNs) === 0) return `${ns / unitNs}${unit}`;
  }
  throw new RangeError(`a duration is a whole number of nanoseconds, not ${ns}`);
}

/** Three significant digits, never in exponent form: 4.61, 46.1, 461, 4610. */
export function significant(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toFixed(Math.min(digits, 9)));
  const digitsAfterRounding = rounded === 0 ? digits : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(Math.min(digitsAfterRounding, 9));
}
