import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { parseProbability } from "../units/probability.js";
import type { AbortCondition } from "./plan.js";

/** The flags of `run` as the user typed them: text, or absent. Files are already read. */
export interface RunFlags {
  readonly url?: string;
  readonly rate?: string;
  readonly arrivals?: string;
  readonly duration?: string;
  readonly requests?: string;
  readonly closed?: string;
  readonly think?: string;
  readonly expectedInterval?: string;
  readonly warmup?: string;
  readonly timeout?: string;
  readonly connections?: string;
  readonly maxInFlight?: string;
  readonly threads?: string;
  readonly pacing?: string;
  readonly seed?: string;
  readonly method?: string;
  readonly header?: readonly string[];
  readonly body?: Uint8Array;
  readonly expectStatus?: string;
  readonly keepalive?: boolean;
  readonly user?: string;
  readonly unixSocket?: string;
  readonly resolve?: readonly string[];
  readonly ipv4?: boolean;
  readonly ipv6?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly tag?: readonly string[];
  readonly abortOn?: readonly string[];
  readonly yes?: boolean;
}

/** Reads `200`, `2xx`, `200-299` or a comma list of these. @returns inclusive ranges. */
export function parseStatuses(text: string): Parsed<readonly (readonly [number, number])[]> {
  const ranges: [number, number][] = [];
  for (const part of text.split(",")) {
    const match = /^\s*(?:([1-5])xx|(\d{3})(?:-(\d{3}))?)\s*$/i.exec(part);
    if (match === null)
      return unparsed(`"${text}" is not a list of statuses; write it like 200, 2xx, 200-299 or 200,304`);
    const hundred = Number(match[1]) * 100;
    const from = match[1] === undefined ? Number(match[2]) : hundred;
    const to = match[1] === undefined ? Number(match[3] ?? match[2]) : hundred + 99;
    if (from < 100 || to > 599) return unparsed(`"${text}": statuses run from 100 to 599`);
    if (from > to) return unparsed(`"${text}": ${from} is above ${to}; write it like ${to}-${from}`);
    ranges.push([from, to]);
  }
  return parsed(ranges);
}

/** Reads `errors>50%`, `timeouts>100` or `failures>5%` (both together). */
export function parseAbortCondition(text: string): Parsed<AbortCondition> {
  const match = /^\s*(errors|timeouts|failures)\s*>\s*(\d+(?:\.\d+)?%?)\s*$/.exec(text);
  const wrong = unparsed(`"${text}" is not a condition; write it like 'errors>50%', 'timeouts>100' or 'failures>5%'`);
  if (match === null) return wrong;
  const [, metric, amount = ""] = match;
  if (!amount.endsWith("%")) {
    return parsed({ metric: metric as AbortCondition["metric"], measure: "count", threshold: Number(amount) });
  }
  const share = parseProbability(amount);
  return share.ok
    ? parsed({ metric: metric as AbortCondition["metric"], measure: "share", threshold: share.value })
    : wrong;
}

/** Reads `Name: value`; a value may name environment variables as `${NAME}`, so that secrets stay out of `ps`. */
export function parseHeader(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Parsed<readonly [string, string]> {
  const colon = text.indexOf(":");
  const name = text.slice(0, colon).trim();
  if (colon < 1 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    return unparsed(`"${text}" is not a header; write it like 'Accept: application/json'`);
  }
  const value = substitute(text.slice(colon + 1).trim(), environment);
  if (!value.ok) return value;
  if (/[\r\n\0]/.test(value.value)) return unparsed(`header ${name}: a value cannot contain line breaks`);
  return parsed([name, value.value]);
}

/** Puts the environment's values in place of `${NAME}`. */
export function substitute(text: string, environment: Readonly<Record<string, string | undefined>>): Parsed<string> {
  const missing = new Set<string>();
  const value = text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const found = environment[name];
    if (found === undefined) missing.add(name);
    return found ?? "";
  });
  return missing.size === 0 ? parsed(value) : unparsed(`the environment has no variable ${[...missing].join(", ")}`);
}
