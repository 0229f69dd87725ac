import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { account } from "./accounting.mjs";
import { scratchFolder } from "./scratch.mjs";

/** The built command. */
export const TAILRACE = [process.execPath, fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))];

/** The core of the clients; the server has the other. */
export const CLIENT_CORE = 1;

/**
 * A run on the clients' core, its record, and what it cost.
 *
 * @param {readonly string[]} args flags, then the URL
 */
export async function tailraceRun(args) {
  const file = join(scratchFolder(), "run.json");
  const cost = await account(CLIENT_CORE, [...TAILRACE, "run", "--yes", "--quiet", "--json", file, ...args]);
  /** @type {import("../../dist/record/record.js").RunRecord} */
  const record = JSON.parse(readFileSync(file, "utf8"));
  return { record, cost };
}

/**
 * A percentile of one clock, in ms.
 *
 * @param {import("../../dist/record/record.js").RunRecord} record
 * @param {"response" | "service" | "sendLag"} clock
 * @param {number} p
 */
export function percentileMs(record, clock, p) {
  const found = record.latency[clock]?.percentiles.find((percentile) => percentile.p === p);
  return found?.valueMs ?? Number.NaN;
}
