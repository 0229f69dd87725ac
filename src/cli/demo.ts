import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { EXIT } from "./exit-codes.js";
import { parseAll } from "./parse-all.js";
import { run } from "./run.js";

const RATE_PER_S = 130;
const SECONDS = 20;

/** `tailrace demo`: the tail server in a process of its own, and an open-loop run against it. */
export async function demo(words: readonly string[]): Promise<void> {
  const command = new Command("tailrace demo")
    .description(
      `Starts the tail server (one worker, 5 ms a request, so a capacity of 200/s), sends it ${RATE_PER_S}/s for ${SECONDS} s, and prints the summary.`,
    )
    .helpOption("-h, --help", "show this help");
  const line = parseAll(command, words);
  if (line.helped) return;
  if (line.problems.length > 0) {
    for (const problem of line.problems) process.stderr.write(`tailrace demo: ${problem}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  const main = fileURLToPath(new URL("./main.js", import.meta.url));
  const server = spawn(process.execPath, [main, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const stopped = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  try {
    const listening = await firstLine(server.stdout);
    const url = /http:\/\/\S+/.exec(listening)?.[0];
    if (url === undefined) throw new Error(`the server did not start: ${listening}`);
    process.stdout.write(
      `${listening}\nBusy ${Math.round((RATE_PER_S / 200) * 100)} % of the time at ${RATE_PER_S}/s. ${SECONDS} s, please.\n\n`,
    );
    await run(["--rate", String(RATE_PER_S), "--duration", `${SECONDS}s`, "--seed", "1", url]);
  } finally {
    server.kill("SIGTERM");
    await stopped;
  }
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
    });
    stream.on("end", () => resolve(text));
  });
}
