import { type Distribution, rankOfPercentile, SparseHistogram } from "../hdr/index.js";

/**
 * What was observed on one clock, in ns. A request counts as known (it took so long), censored (it took at least so long:
 * timed out, or unfinished at the end) or failed (it never gives what was asked for: infinitely long).
 */
export interface Observations {
  readonly known: Distribution;
  /** Lower bounds. */
  readonly censored: Distribution;
  readonly failed: number;
}

/**
 * What may be said of a percentile:
 * - `known`: the value holds whatever the censored ones would have come to
 * - `lower-bound`: it reaches the censored; the true value is at least this
 * - `failed`: it lies among the failed
 * - `unknown`: too few samples lie beyond it to say anything
 */
export type PercentileStatus = "known" | "lower-bound" | "failed" | "unknown";

export interface Percentile {
  readonly p: number;
  /** `null` where status is `failed`; the largest number there is where it took longer than a histogram can hold. */
  readonly valueMs: number | null;
  /** Confidence limits; `null` where none were computed. */
  readonly lowMs: number | null;
  readonly highMs: number | null;
  /** Samples beyond it. */
  readonly tailCount: number;
  /** How many independent samples the n are worth; `null` where not computed. */
  readonly effectiveN: number | null;
  readonly status: PercentileStatus;
}

/** Observations as a record keeps them. Histograms are HdrHistogram V2 compressed base64, ns. */
export interface EncodedObservations {
  /** The known. */
  readonly histogram: string;
  /** The censored, at their bounds; `null` if none. */
  readonly censored: string | null;
  /** Known and censored that took longer than a histogram can hold (over an hour), which the encoding has no place for. */
  readonly overflow: number;
  readonly censoredOverflow: number;
  readonly failed: number;
}

export interface Summary extends EncodedObservations {
  /** Known, censored and failed together. */
  readonly n: number;
  /**
   * Moments and extremes of the known and censored, the censored at their bounds; the failed have no finite part in them, so
   * where there are no others these are `null`.
   */
  readonly meanMs: number | null;
  readonly stdevMs: number | null;
  readonly minMs: number | null;
  readonly maxMs: number | null;
  readonly percentiles: readonly Percentile[];
}

export const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 99.99] as const;

/** A percentile with fewer samples beyond it is a maximum with extra steps. */
export const FEWEST_TAIL_SAMPLES = 10;

export const NO_OBSERVATIONS: Observations = {
  known: new SparseHistogram(),
  censored: new SparseHistogram(),
  failed: 0,
};

export function countOf(observations: Observations): number {
  return observations.known.total + observations.censored.total + observations.failed;
}

/** Adds up what several windows, workers or runs observed. */
export function addObservations(parts: Iterable<Observations>): Observations {
  const known = new SparseHistogram();
  const censored = new SparseHistogram();
  let failed = 0;
  for (const part of parts) {
    known.add(part.known);
    censored.add(part.censored);
    failed += part.failed;
  }
  return { known, censored, failed };
}

/** The known and the censored at their bounds, as one distribution. */
export function atBounds({ known, censored }: Observations): Distribution {
  if (censored.total === 0) return known;
  const both = SparseHistogram.from(known);
  both.add(censored);
  return both;
}

/**
 * The p-th percentile by rank ⌈p/100 · n⌉ over all n, with the censored once at their bounds and once at infinity. Where both
 * agree it is known; where only the first is finite it is a lower bound.
 *
 * @returns value in ns, infinite where it lies among the failed
 */
export function percentileOf(
  observations: Observations,
  p: number,
): { readonly valueNs: number; readonly status: PercentileStatus; readonly tailCount: number } {
  const n = countOf(observations);
  if (n === 0) return { valueNs: Number.NaN, status: "unknown", tailCount: 0 };
  const rank = rankOfPercentile(p, n);
  const tailCount = n - rank;
  if (rank > n - observations.failed) return { valueNs: Number.POSITIVE_INFINITY, status: "failed", tailCount };
  const valueNs = atBounds(observations).valueAtRank(rank);
  if (tailCount < FEWEST_TAIL_SAMPLES && p > 50) return { valueNs, status: "unknown", tailCount };
  const { known } = observations;
  const agrees = rank <= known.total && known.valueAtRank(rank) === valueNs;
  return { valueNs, status: agrees ? "known" : "lower-bound", tailCount };
}
