// Does what is due go out when it is due, and what does the waiting cost?
//
//     node bench/pacing.mjs --seconds 20 --pacing auto,spin,sleep --rates 1000,20000

import { need } from "./support/children.mjs";
import { readFlags } from "./support/flags.mjs";
import { startNginx } from "./support/nginx.mjs";
import { publish } from "./support/results.mjs";
import { percentileMs, tailraceRun } from "./support/tailrace.mjs";

const SENT_WITHIN = 0.005;
const MEDIAN_LAG_LIMITS_US = new Map([
  ["spin", 20],
  ["sleep", 300],
]);
/** What `sleep` may use of a core at the lower rate. */
const SLEEP_CORE_LIMIT = 0.25;
const SLEEP_RATE_PER_S = 1000;
const flags = readFlags({ seconds: 20, pacing: "auto,spin,sleep", rates: "1000,20000" });

need(["nginx", "taskset", "time"]);
const nginx = await startNginx();
const runs = [];
for (const pacing of flags.pacing.split(",")) {
  for (const ratePerS of flags.rates.split(",").map(Number)) runs.push(await measure(pacing, ratePerS));
}
await nginx.stop();

publish({
  name: "pacing",
  about:
    `Poisson arrivals for ${flags.seconds} s each against nginx on loopback, one thread. Core used: user and system time of the whole ` +
    "process, all its threads, its start and end included, over the length of the schedule.",
  table: [
    ["pacing", "rate/s", "sent/scheduled", "send lag p50", "p90", "p99", "max", "longest pause", "core used"],
    ...runs.map((run) => [
      run.pacing,
      `${run.ratePerS}`,
      run.sentVsScheduled.toFixed(4),
      ...run.lagUs.map((us) => `${us.toFixed(0)} µs`),
      `${run.longestPauseMs.toFixed(1)} ms`,
      `${(run.coreUsed * 100).toFixed(0)} %`,
    ]),
  ],
  claims: runs.flatMap(claimsOf),
  raw: { ...flags, runs },
});

/** @param {string} pacing @param {number} ratePerS */
async function measure(pacing, ratePerS) {
  console.error(`${pacing} at ${ratePerS}/s`);
  const args = ["--rate", `${ratePerS}`, "--duration", `${flags.seconds}s`, "--pacing", pacing, nginx.url];
  const { record, cost } = await tailraceRun(args);
  const lagsMs = [50, 90, 99].map((p) => percentileMs(record, "sendLag", p));
  return {
    pacing,
    ratePerS,
    scheduled: record.requests.scheduled,
    sentVsScheduled: record.rate.sentVsScheduled,
    lagUs: [...lagsMs, record.latency.sendLag?.maxMs ?? Number.NaN].map((ms) => ms * 1000),
    longestPauseMs: record.generator.pauses.maxMs,
    coreUsed: cost.cpuS / flags.seconds,
  };
}

/** @param {Awaited<ReturnType<typeof measure>>} run @returns {import("./support/results.mjs").Claim[]} */
function claimsOf({ pacing, ratePerS, sentVsScheduled, lagUs, coreUsed }) {
  const which = `${pacing}, ${ratePerS}/s: `;
  const short = Math.abs(1 - sentVsScheduled);
  const claims = [
    {
      claim: `${which}sent against scheduled within ${SENT_WITHIN * 100} %`,
      measured: `${(short * 100).toFixed(2)} %`,
      holds: short <= SENT_WITHIN,
    },
  ];
  const limitUs = MEDIAN_LAG_LIMITS_US.get(pacing);
  const medianUs = lagUs[0] ?? Number.NaN;
  if (limitUs !== undefined) {
    const claim = `${which}median send lag at most ${limitUs} µs`;
    claims.push({ claim, measured: `${medianUs.toFixed(1)} µs`, holds: medianUs <= limitUs });
  }
  if (pacing === "sleep" && ratePerS === SLEEP_RATE_PER_S) {
    const claim = `${which}at most ${SLEEP_CORE_LIMIT * 100} % of a core`;
    claims.push({ claim, measured: `${(coreUsed * 100).toFixed(0)} %`, holds: coreUsed <= SLEEP_CORE_LIMIT });
  }
  return claims;
}
