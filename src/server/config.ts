import type { Pacing } from "../clock/sleeper.js";
import type { Distribution } from "../random/distribution.js";
import { parseDistribution, parseFactor } from "../random/parse-distribution.js";
import { parseDuration } from "../units/duration.js";
import { FlagReader, oneOf } from "../units/flag-reader.js";
import { parseInteger } from "../units/integer.js";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { parseProbability } from "../units/probability.js";
import { parseRate } from "../units/rate.js";
import { parseSize } from "../units/size.js";
import type { Behaviour } from "./behaviour.js";

/** A tail server: behaviour and sockets. */
export interface ServerConfig extends Behaviour {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly bodyBytes: number;
  readonly pacing: Pacing;
}

/** `tailrace serve` without flags: 1 worker, exponential service of 5 ms, so a capacity of 200/s. */
export const DEFAULT_SERVER_CONFIG: ServerConfig = {
  host: "127.0.0.1",
  port: 8090,
  workers: 1,
  service: { kind: "exp", meanNs: 5_000_000 },
  slowProbability: 0,
  slowNs: 0,
  slowBy: "arrival",
  stallEveryNs: 0,
  stallNs: 0,
  loadFactor: 0,
  cold: 0,
  lockProbability: 0,
  lockNs: 0,
  limitPerS: 0,
  queueLimit: undefined,
  afterOverloadNs: 0,
  afterOverloadFactor: 1,
  failProbability: 0,
  failStatus: 500,
  resetProbability: 0,
  bodyBytes: 3,
  cancel: false,
  seed: 1,
  pacing: "auto",
};

/** The flags of `serve` as the user typed them: text, or absent. */
export interface ServeFlags {
  readonly host?: string;
  readonly port?: string;
  readonly workers?: string;
  readonly service?: string;
  readonly dist?: string;
  readonly sigma?: string;
  readonly alpha?: string;
  readonly modes?: string;
  readonly slowProb?: string;
  readonly slow?: string;
  readonly slowBy?: string;
  readonly stallEvery?: string;
  readonly stall?: string;
  readonly loadFactor?: string;
  readonly cold?: string;
  readonly lock?: string;
  readonly limit?: string;
  readonly queueLimit?: string;
  readonly afterOverload?: string;
  readonly failProb?: string;
  readonly failStatus?: string;
  readonly resetProb?: string;
  readonly bodySize?: string;
  readonly cancel?: boolean;
  readonly seed?: string;
  readonly pacing?: string;
}

export type ServerResolution =
  | { readonly ok: true; readonly config: ServerConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const DEFAULTS = DEFAULT_SERVER_CONFIG;
const MOST = Number.MAX_SAFE_INTEGER;
const LARGEST_BODY_BYTES = 2 ** 30;

/** Turns flags into a config in which nothing is left to decide, or says everything that is wrong with them. */
export function resolveServerConfig(flags: ServeFlags): ServerResolution {
  const reader = new FlagReader();
  const config: ServerConfig = {
    host: reader.read("--host", flags.host, parseHost, DEFAULTS.host),
    port: reader.read("--port", flags.port, wholeNumber(0, 65_535), DEFAULTS.port),
    workers: reader.read("--workers", flags.workers, wholeNumber(0, 1_000_000), DEFAULTS.workers),
    service: resolveService(flags, reader),
    ...resolveSlowness(flags, reader),
    ...resolveOverload(flags, reader),
    ...resolveFaults(flags, reader),
    bodyBytes: reader.read("--body-size", flags.bodySize, parseBodySize, DEFAULTS.bodyBytes),
    seed: reader.read("--seed", flags.seed, wholeNumber(0, MOST), DEFAULTS.seed),
    pacing: reader.read("--pacing", flags.pacing, oneOf("auto", "spin", "sleep"), DEFAULTS.pacing),
  };
  checkTogether(flags, config, reader);
  return reader.problems.length === 0 ? { ok: true, config } : { ok: false, problems: reader.problems };
}

function resolveService(flags: ServeFlags, reader: FlagReader): Distribution {
  const fallbackNs = flags.service === undefined ? DEFAULTS.service.meanNs : MOST;
  // A mean that could not be read (MOST) should not make the distribution look wrong as well.
  const meanNs = reader.read("--service", flags.service, parseDuration, fallbackNs);
  const shape = {
    ...(flags.sigma === undefined ? {} : { sigma: flags.sigma }),
    ...(flags.alpha === undefined ? {} : { alpha: flags.alpha }),
    ...(flags.modes === undefined ? {} : { modes: flags.modes }),
  };
  const parse = (text: string) => parseDistribution(text, meanNs, shape);
  return reader.read("--dist", flags.dist ?? "exp", parse, DEFAULTS.service);
}

function resolveSlowness(flags: ServeFlags, reader: FlagReader) {
  const lock = reader.read("--lock", flags.lock, parseLock, undefined);
  return {
    slowProbability: reader.read("--slow-prob", flags.slowProb, parseProbability, DEFAULTS.slowProbability),
    slowNs: reader.read("--slow", flags.slow, parseDuration, DEFAULTS.slowNs),
    slowBy: reader.read("--slow-by", flags.slowBy, oneOf("arrival", "request"), DEFAULTS.slowBy),
    stallEveryNs: reader.read("--stall-every", flags.stallEvery, parsePositiveDuration, DEFAULTS.stallEveryNs),
    stallNs: reader.read("--stall", flags.stall, parsePositiveDuration, DEFAULTS.stallNs),
    loadFactor: reader.read("--load-factor", flags.loadFactor, parseNumber, DEFAULTS.loadFactor),
    cold: reader.read("--cold", flags.cold, wholeNumber(0, MOST), DEFAULTS.cold),
    lockProbability: lock?.probability ?? DEFAULTS.lockProbability,
    lockNs: lock?.lockNs ?? DEFAULTS.lockNs,
  };
}

function resolveOverload(flags: ServeFlags, reader: FlagReader) {
  const after = reader.read("--after-overload", flags.afterOverload, parseAfterOverload, undefined);
  return {
    limitPerS: reader.read("--limit", flags.limit, parseRate, DEFAULTS.limitPerS),
    queueLimit: reader.read("--queue-limit", flags.queueLimit, wholeNumber(0, MOST), DEFAULTS.queueLimit),
    afterOverloadNs: after?.lastsNs ?? DEFAULTS.afterOverloadNs,
    afterOverloadFactor: after?.factor ?? DEFAULTS.afterOverloadFactor,
  };
}

function resolveFaults(flags: ServeFlags, reader: FlagReader) {
  return {
    failProbability: reader.read("--fail-prob", flags.failProb, parseProbability, DEFAULTS.failProbability),
    failStatus: reader.read("--fail-status", flags.failStatus, wholeNumber(400, 599), DEFAULTS.failStatus),
    resetProbability: reader.read("--reset-prob", flags.resetProb, parseProbability, DEFAULTS.resetProbability),
    cancel: flags.cancel === true,
  };
}

/** Flags that mean nothing without another are mistakes: a server that quietly ignored one would fool its user. */
function checkTogether(flags: ServeFlags, config: ServerConfig, reader: FlagReader): void {
  const needs = (name: keyof ServeFlags, flag: string, other: keyof ServeFlags, example: string) => {
    if (flags[name] !== undefined && flags[other] === undefined) {
      reader.refuse(`${flag} does nothing by itself; add ${example}, or leave it out`);
    }
  };
  needs("slowProb", "--slow-prob", "slow", "--slow 100ms, the time a slow request takes");
  needs("slow", "--slow", "slowProb", "--slow-prob 3%, the share of slow requests");
  needs("slowBy", "--slow-by", "slowProb", "--slow-prob 3% --slow 100ms");
  needs("stall", "--stall", "stallEvery", "--stall-every 5s, the running time between freezes");
  needs("stallEvery", "--stall-every", "stall", "--stall 500ms, the length of a freeze");
  needs("failStatus", "--fail-status", "failProb", "--fail-prob 1%");
  if (config.workers > 0) return;
  if (flags.queueLimit !== undefined) {
    reader.refuse("--queue-limit does nothing with --workers 0: nobody ever waits; give a number of workers");
  }
  if (flags.afterOverload !== undefined && flags.limit === undefined) {
    reader.refuse("--after-overload does nothing with --workers 0: nothing overloads it; give workers, or --limit");
  }
}

const wholeNumber = (min: number, max: number) => (text: string) => parseInteger(text, min, max);

function parseHost(text: string): Parsed<string> {
  const host = text.trim().replace(/^\[(.*)\]$/, "$1");
  if (host === "" || /[\s/]/.test(host)) {
    return unparsed(`"${text}" is not a host; write an address of this machine, like 127.0.0.1 or ::1`);
  }
  return parsed(host);
}

function parsePositiveDuration(text: string): Parsed<number> {
  const duration = parseDuration(text);
  return duration.ok && duration.value === 0 ? unparsed(`"${text}" is no time at all; leave the flag out`) : duration;
}

function parseNumber(text: string): Parsed<number> {
  if (!/^\d+(\.\d+)?$/.test(text.trim())) return unparsed(`"${text}" is not a number of at least 0, like 0.05`);
  return parsed(Number(text));
}

function parseBodySize(text: string): Parsed<number> {
  const size = parseSize(text);
  return size.ok && size.value > LARGEST_BODY_BYTES ? unparsed(`"${text}" is above the most there is, 1GB`) : size;
}

function parseLock(text: string): Parsed<{ readonly probability: number; readonly lockNs: number }> {
  const [share = "", hold = "", ...more] = text.split(":");
  const probability = parseProbability(share);
  const lockNs = parsePositiveDuration(hold);
  if (more.length > 0 || !probability.ok || !lockNs.ok) {
    return unparsed(`"${text}" is not a share and a time; write it like 2%:40ms, one in fifty holding it for 40 ms`);
  }
  return parsed({ probability: probability.value, lockNs: lockNs.value });
}

function parseAfterOverload(text: string): Parsed<{ readonly lastsNs: number; readonly factor: number }> {
  const [lasts = "", slowdown = "", ...more] = text.split(":");
  const lastsNs = parsePositiveDuration(lasts);
  const factor = parseFactor(slowdown);
  if (more.length > 0 || !lastsNs.ok || !factor.ok) {
    return unparsed(`"${text}" is not a time and a factor; write it like 5s:2x, twice as slow for five seconds`);
  }
  return parsed({ lastsNs: lastsNs.value, factor: factor.value });
}
