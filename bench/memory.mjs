// Does memory stay the same however long the run? Peak resident size of a short run against a ten times longer one.
//
//     node bench/memory.mjs --requests 1000000 --times 10

import { need } from "./support/children.mjs";
import { readFlags } from "./support/flags.mjs";
import { startNginx } from "./support/nginx.mjs";
import { publish } from "./support/results.mjs";
import { tailraceRun } from "./support/tailrace.mjs";

const USERS = 64;
const GROWTH_LIMIT_MB = 20;
const PEAK_LIMIT_MB = 200;
const { requests, times } = readFlags({ requests: 1_000_000, times: 10 });

need(["nginx", "taskset", "time"]);
const nginx = await startNginx();
const shorter = await measure(requests);
const longer = await measure(requests * times);
await nginx.stop();
const grownMb = longer.peakMb - shorter.peakMb;

publish({
  name: "memory",
  about: `A closed loop of ${USERS} against nginx, record written. Peak resident size of the whole process: at its end, as the operating system accounts it, and as the record has it.`,
  table: [
    ["requests", "took", "peak", "in the record", "windows"],
    ...[shorter, longer].map((run) => [
      `${run.requests}`,
      `${run.wallS.toFixed(0)} s`,
      `${run.peakMb.toFixed(1)} MB`,
      `${run.recordedMb.toFixed(1)} MB`,
      `${run.windows}`,
    ]),
  ],
  claims: [
    {
      claim: `${longer.requests} requests peak at most ${GROWTH_LIMIT_MB} MB above ${shorter.requests}`,
      measured: `${grownMb.toFixed(1)} MB`,
      holds: grownMb <= GROWTH_LIMIT_MB,
    },
    {
      claim: `and under ${PEAK_LIMIT_MB} MB`,
      measured: `${longer.peakMb.toFixed(1)} MB`,
      holds: longer.peakMb < PEAK_LIMIT_MB,
    },
  ],
  raw: { shorter, longer },
});

/** @param {number} count */
async function measure(count) {
  console.error(`${count} requests`);
  const { record, cost } = await tailraceRun(["--closed", `${USERS}`, "--requests", `${count}`, nginx.url]);
  return {
    requests: record.requests.scheduled,
    ok: record.requests.ok,
    wallS: cost.wallS,
    peakMb: cost.maxRssBytes / 1e6,
    recordedMb: record.generator.maxRssBytes / 1e6,
    windows: record.windows.length,
  };
}
