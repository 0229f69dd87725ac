import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";

/** The built command: what users run, and so what is tested here. */
export const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

// A second or two each on a quiet machine; on a busy one starting a process alone can take one.
vi.setConfig({ testTimeout: 60_000 });
/** A hung child is killed after this; its `signal` then fails the test that waits for it. */
const LONGEST_MS = 50_000;
/** Nothing a test waits for takes this long, however busy the machine. */
const PATIENCE_MS = 30_000;

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has written so far. */
  readonly output: { stdout: string; stderr: string };
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to its standard input, which is closed then. */
  readonly input?: string;
}

const alive = new Set<ChildProcess>();
// If the test runner itself is stopped, its children go with it.
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts `command`; it is killed, by its own pid, when the test ends. */
export function start(command: string, args: readonly string[], options: StartOptions = {}): Running {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...inherited, NO_COLOR: "1", ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  alive.add(child);
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const watchdog = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(watchdog);
      alive.delete(child);
      resolve({ code, signal, ...output });
    });
  });
  finished.catch(() => {});
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await finished.catch(() => {});
  });
  return { child, finished, output };
}

/** Starts `tailrace` with these words. */
export function startTailrace(words: readonly string[], options?: StartOptions): Running {
  return start(process.execPath, [CLI, ...words], options);
}

/** Runs `tailrace` to its end. */
export function tailrace(words: readonly string[], options?: StartOptions): Promise<Finished> {
  return startTailrace(words, options).finished;
}

/** Runs a line of shell, in which `$NODE $TAILRACE` is the command, to its end. */
export function shell(line: string, options: StartOptions = {}): Promise<Finished> {
  const env = { ...options.env, NODE: process.execPath, TAILRACE: CLI };
  return start("sh", ["-c", line], { ...options, env }).finished;
}

/** Waits until `condition` holds, looking often. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(10);
  }
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
