// Is what tailrace reports what went over the wire? Captures loopback during open-loop runs and compares service times.
//
//     npm run bench:wire -- --seconds 10 --pacing auto,spin,sleep --rates 200,2000,10000
//
// tcpdump needs the right to capture: root, or CAP_NET_RAW.

import { captureWhile } from "./support/capture.mjs";
import { need } from "./support/children.mjs";
import { readFlags } from "./support/flags.mjs";
import { percentile } from "./support/median.mjs";
import { startNginx } from "./support/nginx.mjs";
import { publish } from "./support/results.mjs";
import { percentileMs, tailraceRun } from "./support/tailrace.mjs";

const PERCENTILES = [50, 90, 99];
/** How far the reported service time may be from the capture's, in ms. */
const LIMITS_MS = new Map([
  [50, 0.1],
  [90, 0.2],
]);
const flags = readFlags({ seconds: 10, pacing: "auto,spin,sleep", rates: "200,2000,10000" });

need(["nginx", "taskset", "time", "tcpdump"]);
const nginx = await startNginx();
const runs = [];
for (const pacing of flags.pacing.split(",")) {
  for (const ratePerS of flags.rates.split(",").map(Number)) runs.push(await compare(pacing, ratePerS));
}
await nginx.stop();

publish({
  name: "wire",
  about:
    `Poisson arrivals for ${flags.seconds} s each against nginx on loopback, ms. Wire: from a request's first packet to its answer's ` +
    "last in a packet capture of the same run. Service, response, send lag: as tailrace reports them.",
  table: [
    ["pacing", "rate/s", "clock", "n", ...PERCENTILES.map((p) => `p${p}`), "dropped by kernel"],
    ...runs.flatMap(({ pacing, ratePerS, n, exchanges, dropped, ms }) =>
      Object.entries(ms).map(([clock, values]) => [
        pacing,
        `${ratePerS}`,
        clock,
        `${clock === "wire" ? exchanges : n}`,
        ...values.map((value) => value.toFixed(3)),
        clock === "wire" ? `${dropped}` : "",
      ]),
    ),
  ],
  claims: runs.flatMap(claimsOf),
  raw: { ...flags, runs },
});

/** @param {string} pacing @param {number} ratePerS */
async function compare(pacing, ratePerS) {
  console.error(`${pacing} at ${ratePerS}/s`);
  const args = ["--rate", `${ratePerS}`, "--duration", `${flags.seconds}s`, "--pacing", pacing, nginx.url];
  const { result, sortedNs, dropped, unanswered } = await captureWhile(nginx.port, () => tailraceRun(args));
  const { record } = result;
  return {
    pacing,
    ratePerS,
    n: record.requests.scheduled,
    exchanges: sortedNs.length,
    unanswered,
    dropped,
    ms: {
      wire: PERCENTILES.map((p) => percentile(sortedNs, p) / 1e6),
      service: PERCENTILES.map((p) => percentileMs(record, "service", p)),
      "send lag": PERCENTILES.map((p) => percentileMs(record, "sendLag", p)),
      response: PERCENTILES.map((p) => percentileMs(record, "response", p)),
    },
  };
}

/** @param {Awaited<ReturnType<typeof compare>>} run @returns {import("./support/results.mjs").Claim[]} */
function claimsOf({ pacing, ratePerS, n, exchanges, ms }) {
  const close = [...LIMITS_MS].map(([p, limitMs]) => {
    const at = PERCENTILES.indexOf(p);
    const apartMs = Math.abs(ms.service[at] - ms.wire[at]);
    return {
      claim: `${pacing}, ${ratePerS}/s: service p${p} within ${limitMs} ms of the capture's`,
      measured: `${apartMs.toFixed(3)} ms`,
      holds: apartMs <= limitMs,
    };
  });
  const same = {
    claim: `${pacing}, ${ratePerS}/s: as many exchanges captured as reported`,
    measured: `${exchanges} of ${n}`,
  };
  return [...close, { ...same, holds: exchanges === n }];
}
