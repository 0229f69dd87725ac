import { type Check, NOTHING_FOUND } from "./check.js";

/** This machine could not give what the run needed: descriptors, local ports, room for requests in flight. Sees each. */
export const limits: Check = {
  code: "limits",
  run: ({ generator, plan }) => {
    const sentences = [...generator.limits];
    if (generator.heldBack > 0) {
      sentences.push(
        `${generator.heldBack} requests were held back because ${plan.maxInFlight} were in flight (--max-in-flight)`,
      );
    }
    if (sentences.length === 0) return NOTHING_FOUND;
    return {
      ran: true,
      status: "generator-bound",
      found: {
        severity: "warning",
        message: sentences.join("; "),
        evidence: { heldBack: generator.heldBack },
        advice: "Response times have the wait in them; raise the limit to measure the server alone.",
      },
    };
  },
};
