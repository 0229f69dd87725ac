import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whatever is still running when the bench ends, by whichever way. */
const living = new Set();

process.once("exit", () => {
  for (const child of living) endGroup(child, "SIGKILL");
});
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, () => process.exit(130));

/**
 * Starts a program in a process group of its own, so that it and what it starts can be ended together.
 *
 * @param {readonly string[]} command
 */
export function start(command) {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  living.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise((resolve) => {
    child.once("error", (error) => {
      living.delete(child);
      resolve({ code: null, stdout, stderr: error.message });
    });
    child.once("close", (code) => {
      living.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return {
    /** @type {Promise<{ code: number | null, stdout: string, stderr: string }>} */
    ended,
    running: () => living.has(child),
    /** What it has said on standard error so far. */
    said: () => stderr,
    /** @param {"SIGINT" | "SIGTERM"} signal */
    stop: (signal) => {
      if (living.has(child)) endGroup(child, signal);
      return ended;
    },
  };
}

/** @param {import("node:child_process").ChildProcess} child @param {NodeJS.Signals} signal */
function endGroup(child, signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}

/** Ties a command to one core, where the system can. @param {number} core @param {readonly string[]} command */
export function onCore(core, command) {
  return isInstalled("taskset") ? ["taskset", "-c", String(core), ...command] : [...command];
}

/** @param {string} program */
export function isInstalled(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Ends the bench with a sentence unless all of these are installed. @param {readonly string[]} programs */
export function need(programs) {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  console.error(`This bench needs ${missing.join(", ")}: not installed.`);
  process.exit(2);
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
