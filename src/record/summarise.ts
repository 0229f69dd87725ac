import { histogramFromBase64, histogramToBase64, SparseHistogram } from "../hdr/index.js";
import {
  atBounds,
  countOf,
  type EncodedObservations,
  type Observations,
  PERCENTILES,
  type Percentile,
  percentileOf,
  type Summary,
} from "../stats/summary.js";
import { NS_PER_MS } from "../units/duration.js";
import type { MeasuredWindow, Measurement } from "./measurement.js";
import { CLOCKS, type ClockName, RUN_SCHEMA, type RunRecord, type WindowRecord } from "./record.js";

/** The record of a measurement, without a verdict. */
export function summarise(measurement: Measurement): Omit<RunRecord, "verdict"> {
  const { clocks, windows, ...rest } = measurement;
  const latency = Object.fromEntries(
    CLOCKS.map((clock) => {
      const observations = clocks[clock];
      return [clock, observations === undefined || countOf(observations) === 0 ? null : summariseClock(observations)];
    }),
  ) as Record<ClockName, Summary | null>;
  return { schema: RUN_SCHEMA, ...rest, latency, windows: windows.map(recordWindow) };
}

/** The measurement a record was made of. Histograms keep 3 digits, so recorded and measured summaries agree exactly. */
export function reopen(record: RunRecord): Measurement {
  const { schema: _, latency, windows, verdict: __, ...rest } = record;
  const clocks = Object.fromEntries(
    Object.entries(latency).flatMap(([clock, summary]) => (summary === null ? [] : [[clock, decode(summary)]])),
  ) as Measurement["clocks"];
  return {
    ...rest,
    clocks,
    windows: windows.map((window) => ({
      ...window,
      response: decode(window.response),
      service: decode(window.service),
    })),
  };
}

export function summariseClock(observations: Observations): Summary {
  const bounded = atBounds(observations);
  return {
    n: countOf(observations),
    meanMs: toMs(bounded.mean),
    stdevMs: toMs(bounded.stdev),
    minMs: toMs(bounded.min),
    maxMs: toMs(bounded.max),
    percentiles: PERCENTILES.map((p) => summarisePercentile(observations, p)),
    ...encode(observations),
  };
}

function summarisePercentile(observations: Observations, p: number): Percentile {
  const { valueNs, status, tailCount } = percentileOf(observations, p);
  const valueMs = status === "failed" ? null : toMs(valueNs);
  return { p, valueMs, lowMs: null, highMs: null, tailCount, effectiveN: null, status };
}

function recordWindow(window: MeasuredWindow): WindowRecord {
  return { ...window, response: encode(window.response), service: encode(window.service) };
}

function encode({ known, censored, failed }: Observations): EncodedObservations {
  return {
    histogram: histogramToBase64(known),
    censored: censored.total === 0 ? null : histogramToBase64(censored),
    overflow: known.overflow,
    censoredOverflow: censored.overflow,
    failed,
  };
}

/** @throws HdrFormatError if a histogram cannot be read */
function decode(encoded: EncodedObservations): Observations {
  return {
    known: histogramFromBase64(encoded.histogram, encoded.overflow),
    censored:
      encoded.censored === null
        ? new SparseHistogram()
        : histogramFromBase64(encoded.censored, encoded.censoredOverflow),
    failed: encoded.failed,
  };
}

/** Milliseconds to the nanosecond; JSON has no infinity (it took over an hour), so that becomes the largest number. */
function toMs(ns: number): number | null {
  if (Number.isNaN(ns)) return null;
  return Number.isFinite(ns) ? ns / NS_PER_MS : Number.MAX_VALUE;
}
