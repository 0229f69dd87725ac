import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { readRun, reopenRun } from "../../src/format/read-run.js";
import { histogramFromBase64 } from "../../src/hdr/index.js";
import type { RequestCounts, RunRecord } from "../../src/record/record.js";
import type { EncodedObservations } from "../../src/stats/summary.js";

/** Reads a record as any verb does: through the schema. */
export function recordOf(text: string): RunRecord {
  const record = readRun(text);
  if (!record.ok) throw new Error(`no record: ${record.problem}`);
  const measurement = reopenRun(record.value);
  if (!measurement.ok) throw new Error(`no measurement: ${measurement.problem}`);
  return record.value;
}

export const readRecord = (path: string) => recordOf(readFileSync(path, "utf8"));

/** Expects what must hold of every record, whatever happened to the run: no request is lost, none counted twice. */
export function expectWhole(record: RunRecord): void {
  const { requests, warmup, windows, latency, outcomes } = record;
  expectBalanced(requests);
  if (warmup !== null) expectBalanced(warmup);
  expect(total(requests.unsentBy), "unsent is explained by kind").toBe(requests.unsent);
  for (const name of ["scheduled", "ok", "errors", "timeouts", "unfinished", "sent"] as const) {
    const sum = (of: readonly (typeof windows)[number][]) =>
      of.reduce((subtotal, window) => subtotal + window.requests[name], 0);
    expect(sum(windows.filter((window) => !window.warmup)), `windows add up: ${name}`).toBe(requests[name]);
    expect(sum(windows.filter((window) => window.warmup)), `warm-up's windows add up: ${name}`).toBe(
      warmup?.[name] ?? 0,
    );
  }
  for (const window of windows) {
    expectBalanced({ ...window.requests, unsentBy: {} });
    expect(observed(window.response)).toBe(window.requests.scheduled);
    expect(observed(window.service)).toBe(window.requests.sent);
  }
  if (requests.scheduled > 0)
    expect(latency.response?.n, "every scheduled request has a response time").toBe(requests.scheduled);
  expect(latency.service?.n ?? 0, "every sent request has a service time").toBe(requests.sent);
  expect(latency.answered?.n ?? 0, "every ok one is answered").toBe(requests.ok);
  expect(total(outcomes.byError), "errors are explained by kind").toBe(requests.errors);
  const answered = total(outcomes.byStatus);
  expect(answered, "answers by status: the ok, and those of a status not expected").toBe(
    requests.ok + (outcomes.byError.status ?? 0),
  );
  const books = record.verdict.checks.filter(({ code }) => code === "accounting" || code === "little");
  expect(
    books.map(({ passed }) => passed),
    "its own checks of the books",
  ).not.toContain(false);
}

function expectBalanced({ scheduled, ok, errors, timeouts, unfinished, sent, unsent }: RequestCounts): void {
  expect(ok + errors + timeouts + unfinished, "each request has one outcome").toBe(scheduled);
  expect(sent + unsent, "each request was sent or not").toBe(scheduled);
}

function observed({ histogram, overflow, censored, censoredOverflow, failed }: EncodedObservations): number {
  const known = histogramFromBase64(histogram, overflow).total;
  return (
    known + (censored === null ? censoredOverflow : histogramFromBase64(censored, censoredOverflow).total) + failed
  );
}

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** A percentile of a clock, as it is in the record. */
export function percentile(record: RunRecord, clock: keyof RunRecord["latency"], p: number) {
  const found = record.latency[clock]?.percentiles.find((percentile) => percentile.p === p);
  if (found === undefined) throw new Error(`the record has no p${p} of ${clock}`);
  return found;
}

/** A row of a samples file, by column. */
export type SampleLine = Readonly<Record<string, string>>;

export function readSamples(text: string): SampleLine[] {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  const names = header.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((field, i) => [names[i] ?? `?${i}`, field])));
}
