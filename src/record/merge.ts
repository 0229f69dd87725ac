import { addObservations, type Observations } from "../stats/summary.js";
import type { MeasuredWindow, Measurement } from "./measurement.js";
import type { ClockName, Generator, Outcomes, Pauses, Rate, RequestCounts } from "./record.js";
import { CLOCKS } from "./record.js";

/** More windows than this are added up in pairs, so that a record's size does not depend on the run's length. */
export const MOST_WINDOWS = 512;

export type Merge =
  | { readonly ok: true; readonly how: "shares" | "replications"; readonly measurement: Measurement }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes one measurement of several. Shares of one run (same run and start, different shares of the schedule) are added
 * window by window; replications of one plan are set one after the other, their windows side by side; whatever else cannot be
 * one measurement is refused with the reason.
 */
export function merge(parts: readonly Measurement[]): Merge {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return refuse("merging takes at least two records");
  for (const [i, part] of parts.entries()) {
    const earlier = parts.slice(0, i).find((other) => other.runId === part.runId && sameShare(other, part));
    if (earlier !== undefined) {
      return refuse(`run ${part.runId} is there twice: the same requests would count double; leave one out`);
    }
  }
  const different = others.find((part) => comparable(part) !== comparable(first));
  if (different !== undefined) {
    return refuse(
      `runs ${first.runId} and ${different.runId} follow different plans: ${firstDifference(first, different)}; ` +
        "one distribution of both would describe neither",
    );
  }
  const shares = parts.filter((part) => part.runId === first.runId && part.startedAt === first.startedAt).length;
  if (shares === parts.length)
    return { ok: true, how: "shares", measurement: add(parts, alignShares(parts), "shares") };
  if (shares > 1 || new Set(parts.map((part) => part.runId)).size < parts.length) {
    return refuse("shares of one run and replications are mixed; merge the shares of each run first");
  }
  return { ok: true, how: "replications", measurement: add(parts, appendRuns(parts), "replications") };
}

const refuse = (problem: string): Merge => ({ ok: false, problem });

/** Two records of the same run with the very same counts in every window are one and the same. */
function sameShare(a: Measurement, b: Measurement): boolean {
  const fingerprint = ({ host, windows, plan }: Measurement) =>
    JSON.stringify([host.hostname, plan.tags, windows.map(({ requests, startMs }) => [startMs, requests])]);
  return a.startedAt === b.startedAt && fingerprint(a) === fingerprint(b);
}

/** What two runs must share to be one experiment: all but the seed and what only concerns the generator. */
function comparable({ plan }: Measurement): string {
  return JSON.stringify(comparablePlan(plan));
}

function comparablePlan(plan: Measurement["plan"]) {
  const { seed: _, threads: __, pacing: ___, tags: ____, abortOn: _____, maxInFlight: ______, ...rest } = plan;
  return rest;
}

function firstDifference(a: Measurement, b: Measurement): string {
  const left: Record<string, unknown> = comparablePlan(a.plan);
  const right: Record<string, unknown> = comparablePlan(b.plan);
  const key = Object.keys(left).find((name) => JSON.stringify(left[name]) !== JSON.stringify(right[name])) ?? "plan";
  return `${key} is ${JSON.stringify(left[key])} in one and ${JSON.stringify(right[key])} in the other`;
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
    wallMs: how === "shares" ? Math.max(...parts.map((part) => part.wallMs)) : sum((part) => part.wallMs),
    ended: { how: "merged", runs: parts.length },
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

function addClocks(parts: readonly Measurement[]): Measurement["clocks"] {
  const clocks: Partial<Record<ClockName, Observations>> = {};
  for (const clock of CLOCKS) {
    const observed = parts.flatMap((part) => part.clocks[clock] ?? []);
    if (observed.length > 0) clocks[clock] = addObservations(observed);
  }
  return clocks;
}

export function addCounts(parts: readonly RequestCounts[]): RequestCounts {
  const unsentBy = addRecords(parts.map((part) => part.unsentBy));
  return { ...addRecords(parts.map(({ unsentBy: _, ...counts }) => counts)), unsentBy };
}

/** Adds objects of numbers name by name. */
export function addRecords<T extends object>(parts: readonly T[]): T {
  const sums: Record<string, number> = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part) as [string, number][]) sums[name] = (sums[name] ?? 0) + value;
  }
  return sums as T;
}

/** Rates of shares add; those of replications are averaged by what was scheduled, for each ran for as long. */
function addRates(parts: readonly Measurement[], how: "shares" | "replications"): Rate {
  const scheduled = parts.reduce((total, part) => total + part.requests.scheduled, 0);
  const share = (part: Measurement) => (scheduled === 0 ? 1 / parts.length : part.requests.scheduled / scheduled);
  const rate = (of: (rate: Rate) => number) =>
    parts.reduce((total, part) => total + of(part.rate), 0) / (how === "shares" ? 1 : parts.length);
  return {
    targetPerS: parts[0]!.rate.targetPerS,
    achievedPerS: rate((part) => part.achievedPerS),
    answeredPerS: rate((part) => part.answeredPerS),
    sentVsScheduled: parts.reduce((total, part) => total + share(part) * part.rate.sentVsScheduled, 0),
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
    maxMs: Math.max(...parts.map((part) => part.maxMs)),
  };
}

/** Windows that lie side by side in time, or one over the other, as one. */
function addWindows(parts: readonly MeasuredWindow[], startMs: number, widthMs: number): MeasuredWindow {
  const area = parts.reduce((total, part) => total + part.inFlight.meanOverWindow * part.widthMs, 0);
  const edge = (of: (part: MeasuredWindow) => number, at: number, where: (part: MeasuredWindow) => number) =>
    parts.filter((part) => Math.abs(where(part) - at) < 1e-6).reduce((total, part) => total + of(part), 0);
  return {
    startMs,
    widthMs,
    warmup: parts[0]!.warmup,
    requests: addRecords(parts.map((part) => part.requests)),
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

/** Adds the windows of shares that cover the same time, at the coarsest width among them. */
function alignShares(parts: readonly Measurement[]): MeasuredWindow[] {
  const widthMs = Math.max(...parts.flatMap((part) => part.windows.map((window) => window.widthMs)));
  return regroup(
    parts.flatMap((part) => part.windows),
    widthMs,
    parts[0]!.plan.warmupMs,
  );
}

/** Adds windows so that each is `widthMs` wide, counted from the end of the warm-up. */
function regroup(windows: readonly MeasuredWindow[], widthMs: number, originMs: number): MeasuredWindow[] {
  const groups = new Map<number, MeasuredWindow[]>();
  for (const window of windows) {
    const index = Math.floor((window.startMs - originMs) / widthMs + 1e-6);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [window]);
    else group.push(window);
  }
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([index, group]) => addWindows(group, originMs + index * widthMs, widthMs));
}

/** Adds neighbours, doubling the width, until there are few enough. */
export function coarsen(windows: readonly MeasuredWindow[], originMs: number): readonly MeasuredWindow[] {
  let coarse = windows;
  while (coarse.length > MOST_WINDOWS) coarse = regroup(coarse, coarse[0]!.widthMs * 2, originMs);
  return coarse;
}

/** Sets runs one after the other; windows of different runs are never added. */
function appendRuns(parts: readonly Measurement[]): MeasuredWindow[] {
  let offsetMs = 0;
  const windows: MeasuredWindow[] = [];
  for (const part of parts) {
    windows.push(...part.windows.map((window) => ({ ...window, startMs: window.startMs + offsetMs })));
    const last = part.windows.at(-1);
    offsetMs += last === undefined ? 0 : last.startMs + last.widthMs;
  }
  return windows;
}
