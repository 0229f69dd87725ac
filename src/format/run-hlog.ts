import { formatHgrm, hlogHeader, hlogLine } from "../hdr/index.js";
import type { Measurement } from "../record/measurement.js";
import { atBounds, NO_OBSERVATIONS } from "../stats/summary.js";
import { NS_PER_MS } from "../units/duration.js";

/**
 * The windows' response times as an HdrHistogram interval log, readable by its tools: censored requests at their lower bounds,
 * failed ones left out, as the format has no place for either; the comment says how many.
 */
export function runHlog(measurement: Measurement): string {
  const startSeconds = Date.parse(measurement.startedAt) / 1000;
  const { errors, timeouts, unfinished } = measurement.requests;
  const header = hlogHeader({
    startTime: startSeconds,
    comments: [
      `response time (from the intended send time) of run ${measurement.runId}, in ns`,
      `${timeouts + unfinished} censored at their lower bounds, ${errors} failed left out`,
    ],
  });
  const lines = measurement.windows.map((window) =>
    hlogLine({
      startSeconds: window.startMs / 1000,
      lengthSeconds: window.widthMs / 1000,
      histogram: atBounds(window.response),
      ...(window.warmup && { tag: "warmup" }),
    }),
  );
  return header + lines.join("");
}

/** The response times' percentile distribution as `.hgrm` text, in ms. */
export function runHgrm(measurement: Measurement): string {
  return formatHgrm(atBounds(measurement.clocks.response ?? NO_OBSERVATIONS), { unitRatio: NS_PER_MS });
}
