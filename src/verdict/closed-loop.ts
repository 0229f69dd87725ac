import { type Check, NOTHING_FOUND } from "./check.js";

/** A closed loop's percentiles are those of its own users, who send less while the server is slow. Sees every closed loop. */
export const closedLoop: Check = {
  code: "closed-loop",
  run: ({ plan, clocks }) => {
    if (plan.load.kind !== "closed") return NOTHING_FOUND;
    const corrected =
      clocks.corrected === undefined
        ? ""
        : " The corrected column estimates what a schedule would have seen; its count is not a number of requests.";
    return {
      ran: true,
      found: {
        severity: "info",
        message: `closed loop: this is what ${plan.load.users} users who wait for each answer would see, not what arrivals at a rate would.${corrected}`,
        evidence: { users: plan.load.users },
        advice: "To ask what users feel at a given rate, run with --rate.",
      },
    };
  },
};
