import { formatRate } from "../units/rate.js";
import { type Check, DID_NOT_RUN, NOTHING_FOUND } from "./check.js";

/** Kinds of unsent requests that are the target's doing: whatever the generator had, they could not have gone out. */
const TARGETS_DOING = ["refused", "unreachable", "connect-timeout", "reset", "closed", "tls", "protocol"];

/** Requests the schedule's last moment may leave unsent without anything being wrong. */
const SHORTFALL = 0.005;
const FEWEST_SHORT = 5;

/**
 * Fewer requests were sent by the schedule's end than were due by then: the server saw a lower rate than the one asked for.
 * Compared with what the schedule held, not with its rate, so that Poisson noise cannot fire it. Promises to see 1 %.
 */
export const rateShort: Check = {
  code: "rate-short",
  run: ({ rate, requests }) => {
    if (rate.targetPerS === null || requests.scheduled === 0) return DID_NOT_RUN;
    const rejected = TARGETS_DOING.reduce((total, kind) => total + (requests.unsentBy[kind] ?? 0), 0);
    const short = requests.scheduled * (1 - rate.sentVsScheduled) - rejected;
    if (short <= SHORTFALL * requests.scheduled || short < FEWEST_SHORT) return NOTHING_FOUND;
    const percent = (rate.sentVsScheduled * 100).toFixed(1);
    return {
      ran: true,
      status: "generator-bound",
      found: {
        severity: "warning",
        message: `${formatRate(rate.achievedPerS)} were sent where ${formatRate(rate.targetPerS)} were asked for: ${percent} % of what was due by the end`,
        evidence: {
          achievedPerS: rate.achievedPerS,
          targetPerS: rate.targetPerS,
          sentVsScheduled: rate.sentVsScheduled,
        },
        advice:
          "Give more threads or connections, or lower the rate; as it is, the run says nothing of the rate asked for.",
      },
    };
  },
};
