import { percentileOf } from "../stats/summary.js";
import { formatDuration } from "../units/duration.js";
import { type Check, DID_NOT_RUN, NOTHING_FOUND } from "./check.js";

/** The wait must be this much of p99, and this long, to be worth a word. */
const SHARE_OF_P99 = 0.1;
const NOTICEABLE_NS = 1e6;

/**
 * Requests waited for a connection of a fixed pool, or because the most allowed were in flight. Response time has it, service
 * time hides it. Promises to see a wait whose p99 is a tenth of the response's.
 */
export const clientQueueing: Check = {
  code: "client-queueing",
  run: ({ clocks, plan, generator }) => {
    const { queue, response, service } = clocks;
    if (queue === undefined || response === undefined || service === undefined) return DID_NOT_RUN;
    const [waited, felt, served] = [queue, response, service].map((clock) => percentileOf(clock, 99).valueNs);
    if (!(waited! > NOTICEABLE_NS && waited! > SHARE_OF_P99 * felt!)) return NOTHING_FOUND;
    const pool =
      plan.connections === null
        ? `the limit of ${plan.maxInFlight} in flight`
        : `the pool of ${plan.connections} connections`;
    return {
      ran: true,
      found: {
        severity: "warning",
        message: `requests waited for ${plan.connections !== null || generator.heldBack > 0 ? pool : "a connection"}: p99 ${formatDuration(waited!)} of waiting; p99 response ${formatDuration(felt!)}, service ${formatDuration(served!)}`,
        evidence: { queueP99Ms: waited! / 1e6, responseP99Ms: felt! / 1e6, serviceP99Ms: served! / 1e6 },
        advice: "Quote response time: it has the wait. Or give more connections, if real clients have them.",
      },
    };
  },
};
