import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onCore, start } from "./children.mjs";
import { scratchFolder } from "./scratch.mjs";

/**
 * What the operating system says a command took, its threads and children included.
 *
 * @typedef {object} Account
 * @property {number} wallS
 * @property {number} cpuS user and system together
 * @property {number} maxRssBytes
 * @property {string} stdout
 */

/**
 * Runs a command on one core to its end under GNU time.
 *
 * @param {number} core
 * @param {readonly string[]} command
 * @returns {Promise<Account>}
 * @throws {Error} if it fails, with what it said
 */
export async function account(core, command) {
  const file = join(scratchFolder(), "time");
  const timed = ["time", "--quiet", "-f", "%e %U %S %M", "-o", file, ...onCore(core, command)];
  const { code, stdout, stderr } = await start(timed).ended;
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr || stdout}`);
  const [wallS = 0, userS = 0, systemS = 0, maxRssKb = 0] = readFileSync(file, "utf8").trim().split(" ").map(Number);
  return { wallS, cpuS: userS + systemS, maxRssBytes: maxRssKb * 1024, stdout };
}
