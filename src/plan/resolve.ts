import { parseDuration } from "../units/duration.js";
import { FlagReader, oneOf } from "../units/flag-reader.js";
import { parseInteger } from "../units/integer.js";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { formatRate, parseRate } from "../units/rate.js";
import { parseAbortCondition, parseHeader, parseStatuses, type RunFlags, substitute } from "./flags.js";
import type { Load, Plan, RequestPlan } from "./plan.js";

/** What a plan depends on besides its flags. */
export interface PlanSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Files and sockets this process may have open. */
  readonly descriptorLimit: number;
  /** Used where `--seed` was not given. */
  readonly freshSeed: number;
  /** Host names and addresses that mean this machine. */
  readonly ownHosts: readonly string[];
  /** Reads the target; the language itself knows no URLs, and the driver knows which it can load. */
  readonly parseUrl: (text: string) => Parsed<{ readonly href: string; readonly hostname: string }>;
}

export type Resolution =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problems: readonly string[] };

export const DEFAULT_RATE_PER_S = 50;
export const DEFAULT_DURATION_MS = 30_000;
export const DEFAULT_TIMEOUT_MS = 10_000;
/** Above this rate a target that is not this machine must be confirmed with `--yes`. */
export const UNCONFIRMED_RATE_PER_S = 1000;
/** Descriptors kept for files, pipes and the threads' own needs. */
const RESERVED_DESCRIPTORS = 128;
const MAX_IN_FLIGHT = 1_000_000;
const MAX_USERS = 100_000;

/** Turns flags into a plan in which nothing is left to decide, or says everything that is wrong with them. */
export function resolvePlan(flags: RunFlags, surroundings: PlanSurroundings): Resolution {
  const reader = new FlagReader();
  const request = resolveRequest(flags, surroundings, reader);
  const users = reader.read("--closed", flags.closed, wholeNumber(1, MAX_USERS), undefined);
  const load = resolveLoad(flags, users, reader);
  const extent = resolveExtent(flags, reader);
  const limits = resolveLimits(flags, users, surroundings, reader);
  const plan: Plan = {
    request,
    load,
    ...extent,
    ...limits,
    pacing: reader.read("--pacing", flags.pacing, oneOf("auto", "spin", "sleep"), "auto"),
    seed: reader.read("--seed", flags.seed, wholeNumber(0), surroundings.freshSeed),
    tags: resolveTags(flags.tag ?? [], reader),
    abortOn: (flags.abortOn ?? []).flatMap(
      (text) => reader.read("--abort-on", text, parseAbortCondition, undefined) ?? [],
    ),
  };
  checkTogether(flags, plan, surroundings, reader);
  return reader.problems.length === 0 ? { ok: true, plan } : { ok: false, problems: reader.problems };
}

function resolveRequest(flags: RunFlags, surroundings: PlanSurroundings, reader: FlagReader): RequestPlan {
  const body = flags.body ?? null;
  const environment = surroundings.environment;
  const headers = (flags.header ?? []).flatMap((text) => {
    const header = reader.read("-H", text, (line) => parseHeader(line, environment), undefined);
    return header === undefined ? [] : [header];
  });
  // What curl says of a body nobody described, so that a server tried out with curl answers the same here.
  if (body !== null && !headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
  }
  if (flags.ipv4 === true && flags.ipv6 === true) reader.refuse("-4 and -6 exclude each other; give one");
  if (flags.cert !== undefined && flags.key === undefined && !flags.cert.includes("PRIVATE KEY")) {
    reader.refuse("--cert: a client certificate needs its key; add --key FILE");
  }
  if (flags.key !== undefined && flags.cert === undefined) {
    reader.refuse("--key: belongs to a client certificate; add --cert FILE");
  }
  return {
    method: reader.read("-X", flags.method, parseMethod, body === null ? "GET" : "POST"),
    url: resolveUrl(flags, surroundings, reader)?.href ?? "",
    headers,
    body,
    expectStatus: reader.read("--expect-status", flags.expectStatus, parseStatuses, [[200, 399]] as const),
    keepAlive: flags.keepalive ?? true,
    user: reader.read("-u", flags.user, (text) => substitute(text, environment), null),
    unixSocket: flags.unixSocket ?? null,
    resolve: (flags.resolve ?? []).flatMap(
      (text) => reader.read("--resolve", text, parseResolveEntry, undefined) ?? [],
    ),
    family: flags.ipv4 === true ? 4 : flags.ipv6 === true ? 6 : null,
    tls: {
      verify: flags.insecure !== true,
      ca: flags.ca ?? null,
      cert: flags.cert ?? null,
      key: flags.key ?? null,
      servername: flags.servername ?? null,
    },
  };
}

function resolveUrl(flags: RunFlags, { parseUrl }: PlanSurroundings, reader: FlagReader) {
  if (flags.url !== undefined) return reader.read("URL", flags.url, parseUrl, undefined);
  reader.refuse("URL: missing; give the address to load, like http://127.0.0.1:8090/");
  return undefined;
}

/** @param users of a closed loop; `undefined` where `--closed` is absent or wrong */
function resolveLoad(flags: RunFlags, users: number | undefined, reader: FlagReader): Load {
  const ratePerS = reader.read("--rate", flags.rate, parseRate, DEFAULT_RATE_PER_S);
  const arrivals = reader.read("--arrivals", flags.arrivals, oneOf("poisson", "constant"), "poisson" as const);
  const thinkMs = reader.read("--think", flags.think, milliseconds, 0);
  const expectedIntervalMs = reader.read("--expected-interval", flags.expectedInterval, milliseconds, null);
  if (flags.closed === undefined) {
    for (const [name, value] of [
      ["--think", flags.think],
      ["--expected-interval", flags.expectedInterval],
    ] as const) {
      if (value !== undefined) reader.refuse(`${name} belongs to a closed loop; add --closed N, or leave it out`);
    }
    return { kind: "open", arrivals, ratePerS };
  }
  for (const [name, value] of [
    ["--rate", flags.rate],
    ["--arrivals", flags.arrivals],
  ] as const) {
    if (value !== undefined) {
      reader.refuse(
        `${name} with --closed: a closed loop has no rate of its own, each user sends when the last answer came; ` +
          `give ${name} for an open loop or --closed N for a closed one`,
      );
    }
  }
  return { kind: "closed", users: users ?? 1, thinkMs, expectedIntervalMs };
}

function resolveExtent(flags: RunFlags, reader: FlagReader) {
  const requests = reader.read("--requests", flags.requests, wholeNumber(1), null);
  const warmupMs = reader.read("--warmup", flags.warmup, milliseconds, 0);
  const givenMs = reader.read("--duration", flags.duration, milliseconds, null);
  const durationMs = givenMs ?? (requests === null ? DEFAULT_DURATION_MS + warmupMs : null);
  if (givenMs === 0) reader.refuse("--duration: 0 would send nothing; a run is like 30s");
  if (durationMs !== null && durationMs > 0 && warmupMs >= durationMs) {
    reader.refuse(`--warmup: leaves nothing of the ${durationMs / 1000} s to measure; make --duration longer`);
  }
  return { durationMs, requests, warmupMs };
}

function resolveLimits(flags: RunFlags, users: number | undefined, surroundings: PlanSurroundings, reader: FlagReader) {
  const timeoutMs = reader.read("--timeout", flags.timeout, milliseconds, DEFAULT_TIMEOUT_MS);
  const threads = reader.read("--threads", flags.threads, wholeNumber(1, 256), 1);
  const connections = reader.read("--connections", flags.connections, wholeNumber(1, 1_000_000), null);
  const mostOut = reader.read("--max-in-flight", flags.maxInFlight, wholeNumber(1, MAX_IN_FLIGHT), null);
  const usable = Math.max(1, surroundings.descriptorLimit - RESERVED_DESCRIPTORS);
  const asked = connections ?? users ?? 1;
  if (asked > usable) {
    reader.refuse(
      `${connections === null ? "--closed" : "--connections"}: ${asked} connections need more than the ` +
        `${surroundings.descriptorLimit} descriptors this process may open; raise the limit (ulimit -n) or ask for at most ${usable}`,
    );
  }
  for (const [name, count] of [
    ["--connections", connections],
    ["--closed", users],
    ["--max-in-flight", mostOut],
  ] as const) {
    if (count != null && count < threads) {
      const most = `${count} thread${count === 1 ? "" : "s"}`;
      reader.refuse(`--threads: ${threads} threads cannot share ${name} ${count}; use at most ${most}`);
    }
  }
  // In a pool the requests that wait hold no descriptor, so only memory bounds them.
  const roomy = connections === null ? Math.min(usable, MAX_IN_FLIGHT) : MAX_IN_FLIGHT;
  return { timeoutMs: timeoutMs === 0 ? null : timeoutMs, connections, maxInFlight: mostOut ?? roomy, threads };
}

function resolveTags(tags: readonly string[], reader: FlagReader): Readonly<Record<string, string>> {
  const entries = tags.flatMap((text) => {
    const match = /^([^=\s]+)=(.*)$/.exec(text);
    if (match === null) reader.refuse(`--tag: "${text}" is not a tag; write it like --tag version=1.4.2`);
    return match === null ? [] : [[match[1] ?? "", match[2] ?? ""] as const];
  });
  return Object.fromEntries(entries);
}

function checkTogether(flags: RunFlags, plan: Plan, surroundings: PlanSurroundings, reader: FlagReader): void {
  const inWarmup = plan.load.kind === "open" ? (plan.load.ratePerS * plan.warmupMs) / 1000 : 0;
  if (plan.requests !== null && inWarmup >= plan.requests) {
    reader.refuse(
      `--warmup: all ${plan.requests} requests would fall into its ${plan.warmupMs / 1000} s; ` +
        "give more --requests, or a shorter --warmup",
    );
  }
  const url = surroundings.parseUrl(flags.url ?? "");
  if (!url.ok || plan.load.kind !== "open" || flags.yes === true) return;
  const host = url.value.hostname.replace(/^\[|\]$/g, "");
  const own = plan.request.unixSocket !== null || /^127(\.\d+){3}$/.test(host) || surroundings.ownHosts.includes(host);
  if (!own && plan.load.ratePerS > UNCONFIRMED_RATE_PER_S) {
    reader.refuse(
      `--rate: ${formatRate(plan.load.ratePerS)} against ${host}, which is not this machine; ` +
        "if you may load it so, add --yes",
    );
  }
}

const milliseconds = (text: string): Parsed<number> => {
  const duration = parseDuration(text);
  return duration.ok ? parsed(duration.value / 1e6) : duration;
};

const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string) =>
    parseInteger(text, min, max);

function parseMethod(text: string): Parsed<string> {
  if (!/^[A-Za-z-]+$/.test(text)) return unparsed(`"${text}" is not a method; write it like GET or POST`);
  if (text.toUpperCase() === "CONNECT") return unparsed("CONNECT opens a tunnel, it asks for no answer to time");
  return parsed(text.toUpperCase());
}

function parseResolveEntry(text: string): Parsed<string> {
  return /^[^:\s]+:\d{1,5}:(\[[0-9a-f:.]+\]|[0-9a-f:.]+)$/i.test(text)
    ? parsed(text)
    : unparsed(`"${text}" is not host:port:address; write it like example.com:443:127.0.0.1`);
}
