import { addObservations, type Observations } from "../stats/summary.js";
import type { MeasuredWindow, Measurement } from "./measurement.js";
import {
  CLOCKS,
  type ClockName,
  type Ending,
  type Generator,
  type MergedPart,
  type Outcomes,
  type Pauses,
  type Rate,
  type RequestCounts,
} from "./record.js";

export type Merge =
  | { readonly ok: true; readonly how: "shares" | "replications"; readonly measurement: Measurement }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes one measurement of several. Shares of one run (same run and start, different shares of the schedule) are added
 * window by window; replications of one plan are set one after the other, their windows side by side; whatever else cannot be
 * one measurement is refused with the reason. Merged records can be merged again.
 */
export function merge(parts: readonly Measurement[]): Merge {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return refuse("merging takes at least two records");
  const sources = parts.flatMap(sourcesOf);
  const twice = sources.find((source, i) => sources.slice(0, i).some((earlier) => isSame(earlier, source)));
  if (twice !== undefined) {
    return refuse(`run ${twice.runId} is there twice: the same requests would count double; leave one out`);
  }
  for (const other of others) {
    const difference = differenceOf(first, other);
    if (difference !== undefined) {
      return refuse(
        `runs ${first.runId} and ${other.runId} follow different plans: ${difference}; ` +
          "one distribution of both would describe neither",
      );
    }
  }
  if (sources.every(({ runId, startedAt }) => runId === first.runId && startedAt === first.startedAt)) {
    return { ok: true, how: "shares", measurement: add(parts, alignShares(parts), "shares") };
  }
  const runIds = parts.flatMap((part) => [...runsOf(part)]);
  if (new Set(runIds).size < runIds.length) {
    return refuse("shares of one run and replications are mixed; merge the shares of each run first");
  }
  return { ok: true, how: "replications", measurement: add(parts, appendRuns(parts), "replications") };
}

const refuse = (problem: string): Merge => ({ ok: false, problem });

/** The records a measurement is made of: what it was merged from, or itself. */
function sourcesOf(measurement: Measurement): readonly MergedPart[] {
  const { ended, runId, startedAt, wallMs, host, requests, plan } = measurement;
  if (ended.how === "merged") return ended.parts;
  const { hostname } = host;
  return [
    { runId, startedAt, hostname, wallMs, scheduled: requests.scheduled, seed: plan.seed, ended, firstWindow: 0 },
  ];
}

const runsOf = (measurement: Measurement) => new Set(sourcesOf(measurement).map(({ runId }) => runId));

/** No two shares of a run took equally long to the nanosecond on one machine, so this is the same record again. */
function isSame(a: MergedPart, b: MergedPart): boolean {
  const names = ["runId", "startedAt", "hostname", "wallMs", "scheduled"] as const;
  return names.every((name) => a[name] === b[name]);
}

/** What may differ between runs of one experiment: the seed, and what only concerns the generator or its user. */
const FREE: ReadonlySet<string> = new Set(["seed", "threads", "pacing", "tags", "abortOn", "maxInFlight"]);

function differenceOf(a: Measurement, b: Measurement): string | undefined {
  const [left, right] = [fieldsOf(a.plan), fieldsOf(b.plan)];
  const name = [...left.keys(), ...right.keys()].find((key) => left.get(key) !== right.get(key));
  return name && `${name} is ${left.get(name) ?? "absent"} in one and ${right.get(name) ?? "absent"} in the other`;
}

/** A plan's fields as JSON by name, such as `load.ratePerS`. */
function fieldsOf(plan: Measurement["plan"]): ReadonlyMap<string, string> {
  const { request, load, ...rest } = plan;
  const under = (prefix: string, fields: object) =>
    Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, JSON.stringify(value)] as const);
  const own = under("", rest).filter(([name]) => !FREE.has(name));
  return new Map([...under("request.", request), ...under("load.", load), ...own]);
}

function add(
  parts: readonly Measurement[],
  windows: readonly MeasuredWindow[],
  how: "shares" | "replications",
): Measurement {
  const first = parts[0]!;
  const sum = (of: (part: Measurement) => number) => parts.reduce((total, part) => total + of(part), 0);
  const warmups = parts.flatMap((part) => (part.warmup === null ? [] : [part.warmup]));
  return {
    ...first,
    runId: how === "shares" ? first.runId : parts.map((part) => part.runId).join("+"),
    plan: { ...first.plan, tags: commonTags(parts) },
    wallMs: how === "shares" ? Math.max(...parts.map((part) => part.wallMs)) : sum((part) => part.wallMs),
    ended: addEndings(parts, how),
    requests: addCounts(parts.map((part) => part.requests)),
    warmup: warmups.length === 0 ? null : addCounts(warmups),
    attempts: addRecords(parts.map((part) => part.attempts)),
    rate: addRates(parts, how),
    outcomes: addOutcomes(parts.map((part) => part.outcomes)),
    generator: addGenerators(parts.map((part) => part.generator)),
    inFlightMs: parts.some((part) => part.inFlightMs === null) ? null : sum((part) => part.inFlightMs ?? 0),
    clocks: addClocks(parts),
    windows,
  };
}

/** A tag that only some parts have is not one of the whole. */
function commonTags(parts: readonly Measurement[]): Measurement["plan"]["tags"] {
  const tags = Object.entries(parts[0]!.plan.tags);
  return Object.fromEntries(tags.filter(([name, value]) => parts.every((part) => part.plan.tags[name] === value)));
}

function addEndings(parts: readonly Measurement[], how: "shares" | "replications"): Ending {
  let before = 0;
  const sources = parts.flatMap((part) => {
    const moved = sourcesOf(part).map((source) => ({ ...source, firstWindow: source.firstWindow + before }));
    if (how === "replications") before += part.windows.length;
    return moved;
  });
  return { how: "merged", runs: new Set(sources.map(({ runId }) => runId)).size, parts: sources };
}

function addClocks(parts: readonly Measurement[]): Measurement["clocks"] {
  const clocks: Partial<Record<ClockName, Observations>> = {};
  for (const clock of CLOCKS) {
    const observed = parts.flatMap((part) => part.clocks[clock] ?? []);
    if (observed.length > 0) clocks[clock] = addObservations(observed);
  }
  return clocks;
}

function addCounts(parts: readonly RequestCounts[]): RequestCounts {
  const unsentBy = addRecords(parts.map((part) => part.unsentBy));
  const counts = parts.map((part) => {
    const { unsentBy: _, ...rest } = part;
    return rest;
  });
  return { ...addRecords(counts), unsentBy };
}

/** Adds objects of numbers name by name. */
export function addRecords<T extends object>(parts: readonly T[]): T {
  const sums: Record<string, number> = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part) as [string, number][]) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums as T;
}

/** Rates of shares add; those of replications are averaged, each run counting alike, for each was meant to take as long. */
function addRates(parts: readonly Measurement[], how: "shares" | "replications"): Rate {
  const weights = parts.map((part) => (how === "shares" ? 1 : runsOf(part).size));
  const all = how === "shares" ? 1 : weights.reduce((total, weight) => total + weight, 0);
  const rate = (of: (rate: Rate) => number) =>
    parts.reduce((total, part, i) => total + (of(part.rate) * weights[i]!) / all, 0);
  const scheduled = parts.reduce((total, part) => total + part.requests.scheduled, 0);
  const sent = parts.reduce((total, part) => total + part.requests.scheduled * part.rate.sentVsScheduled, 0);
  return {
    targetPerS: parts[0]!.rate.targetPerS,
    achievedPerS: rate(({ achievedPerS }) => achievedPerS),
    answeredPerS: rate(({ answeredPerS }) => answeredPerS),
    sentVsScheduled: scheduled === 0 ? 1 : sent / scheduled,
  };
}

function addOutcomes(parts: readonly Outcomes[]): Outcomes {
  return {
    byStatus: addRecords(parts.map((part) => part.byStatus)),
    byError: addRecords(parts.map((part) => part.byError)),
    details: Object.assign({}, ...parts.toReversed().map((part) => part.details)) as Outcomes["details"],
    bodyBytes: parts.reduce((total, part) => total + part.bodyBytes, 0),
  };
}

function addGenerators(parts: readonly Generator[]): Generator {
  const sum = (of: (part: Generator) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    cpuUserMs: sum((part) => part.cpuUserMs),
    cpuSystemMs: sum((part) => part.cpuSystemMs),
    maxRssBytes: Math.max(...parts.map((part) => part.maxRssBytes)),
    pauses: addPauses(parts.map((part) => part.pauses)),
    heldBack: sum((part) => part.heldBack),
    limits: [...new Set(parts.flatMap((part) => part.limits))],
  };
}

function addPauses(parts: readonly Pauses[]): Pauses {
  return {
    count: parts.reduce((total, part) => total + part.count, 0),
    totalMs: parts.reduce((total, part) => total + part.totalMs, 0),
    maxMs: Math.max(0, ...parts.map((part) => part.maxMs)),
  };
}

const NO_REQUESTS: MeasuredWindow["requests"] = {
  scheduled: 0,
  ok: 0,
  errors: 0,
  timeouts: 0,
  unfinished: 0,
  sent: 0,
  unsent: 0,
};

/** Windows that lie side by side in time, or one over the other, as one. */
function addWindows(
  parts: readonly MeasuredWindow[],
  warmup: boolean,
  startMs: number,
  widthMs: number,
): MeasuredWindow {
  const area = parts.reduce((total, part) => total + part.inFlight.meanOverWindow * part.widthMs, 0);
  const edge = (of: (part: MeasuredWindow) => number, at: number, where: (part: MeasuredWindow) => number) =>
    parts.filter((part) => Math.abs(where(part) - at) < 1e-6).reduce((total, part) => total + of(part), 0);
  return {
    startMs,
    widthMs,
    warmup,
    requests: addRecords([NO_REQUESTS, ...parts.map((part) => part.requests)]),
    response: addObservations(parts.map((part) => part.response)),
    service: addObservations(parts.map((part) => part.service)),
    pauses: addPauses(parts.map((part) => part.pauses)),
    inFlight: {
      atStart: edge(
        (part) => part.inFlight.atStart,
        startMs,
        (part) => part.startMs,
      ),
      atEnd: edge(
        (part) => part.inFlight.atEnd,
        startMs + widthMs,
        (part) => part.startMs + part.widthMs,
      ),
      meanOverWindow: area / widthMs,
    },
  };
}

/**
 * Adds the windows of shares that cover the same time, at the coarsest width among them and counted from the end of the
 * warm-up. Those that no share has, for none had a request in it, are filled in.
 */
function alignShares(parts: readonly Measurement[]): MeasuredWindow[] {
  const originMs = parts[0]!.plan.warmupMs;
  const windows = parts.flatMap((part) => part.windows);
  const widthMs = Math.max(...windows.map((window) => window.widthMs));
  const groups = new Map<number, MeasuredWindow[]>();
  for (const window of windows) {
    const index = Math.floor((window.startMs - originMs) / widthMs + 1e-6);
    groups.set(index, [...(groups.get(index) ?? []), window]);
  }
  if (groups.size === 0) return [];
  const first = Math.min(...groups.keys());
  return Array.from({ length: Math.max(...groups.keys()) - first + 1 }, (_, i) =>
    addWindows(groups.get(first + i) ?? [], first + i < 0, originMs + (first + i) * widthMs, widthMs),
  );
}

/** Sets runs one after the other; windows of different runs are never added. */
function appendRuns(parts: readonly Measurement[]): MeasuredWindow[] {
  const windows: MeasuredWindow[] = [];
  for (const part of parts) {
    const last = windows.at(-1);
    // A run's first window may begin before its schedule did, so as not to lie on both sides of the warm-up's end.
    const shiftMs = last === undefined ? 0 : last.startMs + last.widthMs - Math.min(0, part.windows[0]?.startMs ?? 0);
    windows.push(...part.windows.map((window) => ({ ...window, startMs: window.startMs + shiftMs })));
  }
  return windows;
}
