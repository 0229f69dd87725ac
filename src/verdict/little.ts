import { atBounds } from "../stats/summary.js";
import { NS_PER_MS } from "../units/duration.js";
import { type Check, DID_NOT_RUN, NOTHING_FOUND } from "./check.js";

/** Histograms keep three digits, so the two sides differ by up to 0.1 % of their own accord. */
const TOLERANCE = 0.005;
/** Below this the clock's reading and the schedule's rounding show. */
const NEGLIGIBLE_MS_A_REQUEST = 0.002;

/**
 * Little's law, L = λW, over the whole run, which starts and ends empty: the time-integral of the requests in flight, found by
 * counting them, is the sum of their response times. Failed requests have no finite response time, so the check needs a run
 * without them. Promises to see a disagreement of 0.5 %.
 */
export const little: Check = {
  code: "little",
  run: ({ windows, requests, warmup, inFlightMs }) => {
    const failed = requests.errors + (warmup?.errors ?? 0);
    if (inFlightMs === null || failed > 0 || requests.scheduled === 0) return DID_NOT_RUN;
    const scheduled = requests.scheduled + (warmup?.scheduled ?? 0);
    const sumMs = windows.reduce((total, { response }) => {
      const times = atBounds(response);
      return times.total === 0 ? total : total + (times.mean * times.total) / NS_PER_MS;
    }, 0);
    if (!Number.isFinite(sumMs)) return DID_NOT_RUN;
    const gapMs = Math.abs(sumMs - inFlightMs);
    if (gapMs <= TOLERANCE * inFlightMs + NEGLIGIBLE_MS_A_REQUEST * scheduled) return NOTHING_FOUND;
    return {
      ran: true,
      status: "invalid",
      found: {
        severity: "error",
        message: `counts and clocks disagree: response times add up to ${sumMs.toFixed(1)} ms, requests in flight to ${inFlightMs.toFixed(1)} ms`,
        evidence: { sumOfResponseMs: sumMs, inFlightMs },
        advice: "This is a fault in tailrace or in the record. Please report it, with the record.",
      },
    };
  },
};
