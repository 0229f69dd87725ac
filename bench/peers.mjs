// How fast, and at what cost in CPU, next to other load testers: the server on one core, each client in turn on the other.
//
//     npm run bench:peers -- --rounds 5 --seconds 8
//
// The server counts the requests, so that all are measured by the same yardstick.

import { account } from "./support/accounting.mjs";
import { need } from "./support/children.mjs";
import { readFlags } from "./support/flags.mjs";
import { median } from "./support/median.mjs";
import { startNginx } from "./support/nginx.mjs";
import { PEERS } from "./support/peers.mjs";
import { publish } from "./support/results.mjs";
import { CLIENT_CORE } from "./support/tailrace.mjs";

const USERS = 64;
const { rounds, seconds } = readFlags({ rounds: 5, seconds: 8 });

/** @typedef {{ peer: string, round: number, perS: number, cpuUs: number, served: number, wallS: number, cpuS: number }} Run */

need(["nginx", "taskset", "time"]);
const peers = PEERS.filter(({ available }) => available);
const absent = PEERS.filter(({ available }) => !available).map(({ name }) => name);
if (absent.length > 0) console.error(`Not installed, left out: ${absent.join(", ")}`);

const nginx = await startNginx();
const startups = new Map();
for (const { name, once } of peers) startups.set(name, (await account(CLIENT_CORE, once(nginx.url, USERS))).cpuS);

/** @type {Run[]} */
const runs = [];
// Round 0 warms the machine up and is not counted. The order turns from round to round, so that nobody always follows the same.
for (let round = 0; round <= rounds; round++) {
  for (let i = 0; i < peers.length; i++) {
    const run = await measure(peers[(i + round) % peers.length], round);
    console.error(`round ${round}: ${run.peer} ${run.perS.toFixed(0)}/s, ${run.cpuUs.toFixed(1)} µs CPU a request`);
    if (round > 0) runs.push(run);
  }
}
await nginx.stop();

const speed = Object.fromEntries(peers.map(({ name }) => [name, summary(name)]));
publish({
  name: "peers",
  about:
    `A closed loop of ${USERS} keep-alive connections on one thread against nginx with one worker, server and client pinned to a ` +
    `core each. Medians of ${rounds} rounds of ${seconds} s, in turn; ratios are medians of the ratios to wrk in the same ` +
    "round. CPU is user and system time of the whole process, its start and end included, over the requests nginx counted.",
  table: [
    ["client", "requests/s", "(range)", "× wrk", "CPU a request", "× wrk", "CPU of start and end"],
    ...peers.map(({ name }) => row(name)),
  ],
  claims: [
    atLeast("perS", "wrk", 0.9),
    atLeast("perS", "autocannon", 1.8),
    atLeast("perS", "undici", 1.5),
    atMost("cpuUs", "wrk", 1.3),
  ].flat(),
  raw: { rounds, seconds, users: USERS, absent, startupCpuS: Object.fromEntries(startups), runs },
});

/** @param {import("./support/peers.mjs").Peer} peer @param {number} round @returns {Promise<Run>} */
async function measure(peer, round) {
  const before = await nginx.served();
  const { wallS, cpuS } = await account(CLIENT_CORE, peer.load(nginx.url, USERS, seconds));
  const served = (await nginx.served()) - before;
  return { peer: peer.name, round, perS: served / seconds, cpuUs: (cpuS / served) * 1e6, served, wallS, cpuS };
}

/** @param {string} name */
function summary(name) {
  const own = runs.filter(({ peer }) => peer === name);
  const rates = own.map(({ perS }) => perS);
  return {
    perS: median(rates),
    low: Math.min(...rates),
    high: Math.max(...rates),
    cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
  };
}

/** @param {string} name */
function row(name) {
  const { perS, low, high, cpuUs } = speed[name];
  const times = (/** @type {"perS" | "cpuUs"} */ figure) => ratio(figure, name, "wrk")?.toFixed(2) ?? "";
  return [
    name,
    perS.toFixed(0),
    `${low.toFixed(0)}–${high.toFixed(0)}`,
    times("perS"),
    `${cpuUs.toFixed(1)} µs`,
    times("cpuUs"),
    `${(startups.get(name) * 1000).toFixed(0)} ms`,
  ];
}

/** Median over the rounds of one peer's figure over another's. @param {"perS" | "cpuUs"} figure @param {string} of @param {string} to */
function ratio(figure, of, to) {
  if (!(of in speed && to in speed)) return undefined;
  const inRound = (/** @type {string} */ name, /** @type {number} */ round) =>
    runs.find((run) => run.peer === name && run.round === round)?.[figure] ?? Number.NaN;
  return median(Array.from({ length: rounds }, (_, i) => inRound(of, i + 1) / inRound(to, i + 1)));
}

/** @param {"perS" | "cpuUs"} figure @param {string} to @param {number} limit */
function atLeast(figure, to, limit) {
  const measured = ratio(figure, "tailrace", to);
  if (measured === undefined) return [];
  return [{ claim: `throughput at least ${limit} × ${to}'s`, measured: measured.toFixed(2), holds: measured >= limit }];
}

/** @param {"perS" | "cpuUs"} figure @param {string} to @param {number} limit */
function atMost(figure, to, limit) {
  const measured = ratio(figure, "tailrace", to);
  if (measured === undefined) return [];
  return [
    { claim: `CPU a request at most ${limit} × ${to}'s`, measured: measured.toFixed(2), holds: measured <= limit },
  ];
}
