import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isInstalled } from "./children.mjs";
import { TAILRACE } from "./tailrace.mjs";

/**
 * A load tester asked for the same: a closed loop over so many keep-alive connections on one thread.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {boolean} available
 * @property {(url: string, users: number, seconds: number) => string[]} load
 * @property {(url: string, users: number) => string[]} once each user asks once or so: what is left is the start and the end
 */

const USERS_DONE = fileURLToPath(new URL("./wrk-stop.lua", import.meta.url));
const UNDICI = fileURLToPath(new URL("./undici-client.mjs", import.meta.url));
const AUTOCANNON = createRequire(import.meta.url).resolve("autocannon/autocannon.js");
const node = process.execPath;

/** @type {readonly Peer[]} */
export const PEERS = [
  {
    name: "tailrace",
    available: true,
    load: (url, users, seconds) => [...tailrace(users), "--duration", `${seconds}s`, url],
    once: (url, users) => [...tailrace(users), "--requests", `${users}`, url],
  },
  {
    name: "wrk",
    available: isInstalled("wrk"),
    load: (url, users, seconds) => ["wrk", "-t1", `-c${users}`, `-d${seconds}s`, url],
    once: (url, users) => ["wrk", "-t1", `-c${users}`, "-d1s", "-s", USERS_DONE, url],
  },
  {
    name: "h2load",
    available: isInstalled("h2load"),
    load: (url, users, seconds) => ["h2load", "--h1", "-t1", `-c${users}`, `-D${seconds}`, url],
    once: (url, users) => ["h2load", "--h1", "-t1", `-c${users}`, `-n${users}`, url],
  },
  {
    name: "hey",
    available: isInstalled("hey"),
    load: (url, users, seconds) => ["hey", "-cpus", "1", "-c", `${users}`, "-z", `${seconds}s`, url],
    once: (url, users) => ["hey", "-cpus", "1", "-c", `${users}`, "-n", `${users}`, url],
  },
  {
    name: "autocannon",
    available: true,
    load: (url, users, seconds) => [node, AUTOCANNON, "-n", "-c", `${users}`, "-d", `${seconds}`, url],
    once: (url, users) => [node, AUTOCANNON, "-n", "-c", `${users}`, "-a", `${users}`, url],
  },
  {
    name: "undici",
    available: true,
    load: (url, users, seconds) => [node, UNDICI, url, `${users}`, `${seconds}`],
    once: (url, users) => [node, UNDICI, url, `${users}`, "0"],
  },
];

/** @param {number} users */
function tailrace(users) {
  return [...TAILRACE, "run", "--closed", `${users}`, "--threads", "1", "--yes", "--quiet"];
}
