import { rmSync } from "node:fs";
import { join } from "node:path";
import { onCore, pause, start } from "./children.mjs";
import { exchangeTimes } from "./exchanges.mjs";
import { readSegments } from "./pcap.mjs";
import { scratchFolder } from "./scratch.mjs";

/** Headers are all that is looked at. */
const SNAP_BYTES = 128;
const BUFFER_KB = 128 * 1024;
/** tcpdump reads the kernel's buffer once a second; what is in it when it is ended would be lost. */
const DRAIN_MS = 1500;
/** The server's: at the rates measured it has time to spare, and the client has none to share. */
const CORE = 0;

/**
 * What went over loopback to and from a server's port while something ran.
 *
 * @template T
 * @param {number} port
 * @param {() => Promise<T>} run
 */
export async function captureWhile(port, run) {
  const file = join(scratchFolder(), "loopback.pcap");
  const dump = start(onCore(CORE, [...TCPDUMP, "-w", file, `tcp port ${port}`]));
  while (!dump.said().includes("listening on")) {
    if (!dump.running()) throw new Error(`tcpdump cannot capture: ${dump.said()}`);
    await pause(20);
  }
  const result = await run();
  await pause(DRAIN_MS);
  const { stderr } = await dump.stop("SIGINT");
  const [, dropped] = /(\d+) packets? dropped by kernel/.exec(stderr) ?? [];
  const times = exchangeTimes(readSegments(file), port);
  rmSync(file);
  return { result, dropped: Number(dropped), ...times };
}

const TCPDUMP = ["tcpdump", "-i", "lo", "-n", "-s", `${SNAP_BYTES}`, "-B", `${BUFFER_KB}`]
  // Root's temporary folder is not the place for the user it would otherwise become.
  .concat(process.getuid?.() === 0 ? ["-Z", "root"] : [])
  .concat(["--time-stamp-precision", "nano"]);
