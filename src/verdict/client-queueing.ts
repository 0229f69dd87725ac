import { formatDuration } from "../units/duration.js";
import { type Check, DID_NOT_RUN, NOTHING_FOUND } from "./check.js";

/** The wait must be this much of p99, and this long, to be worth a word. */
const SHARE_OF_P99 = 0.1;
const NOTICEABLE_NS = 1e6;

/**
 * Requests waited for a connection of a fixed pool, or because the most allowed were in flight. Response time has it, service
 * time hides it. All three clocks are those of the answered requests, so that they are of the same ones, and finite. Promises to
 * see a wait whose p99 is a tenth of the response's.
 */
export const clientQueueing: Check = {
  code: "client-queueing",
  run: ({ clocks, plan, generator }) => {
    const { queue, answered, service } = clocks;
    if (queue === undefined || answered === undefined || service === undefined) return DID_NOT_RUN;
    const [waited, felt, served] = [queue, answered, service].map(({ known }) => known.valueAtPercentile(99));
    if (!(waited! > NOTICEABLE_NS && waited! > SHARE_OF_P99 * felt!)) return NOTHING_FOUND;
    const what =
      plan.connections !== null
        ? `the pool of ${plan.connections} connections`
        : generator.heldBack > 0
          ? `the limit of ${plan.maxInFlight} in flight`
          : "a connection";
    const [wait, response, bare] = [waited, felt, served].map((ns) => formatDuration(ns!));
    return {
      ran: true,
      found: {
        severity: "warning",
        message: `requests waited for ${what}: p99 of those answered: waiting ${wait}, response ${response}, service ${bare}`,
        evidence: { queueP99Ms: waited! / 1e6, responseP99Ms: felt! / 1e6, serviceP99Ms: served! / 1e6 },
        advice: "Quote response time: it has the wait. Or give more connections, if real clients have them.",
      },
    };
  },
};
