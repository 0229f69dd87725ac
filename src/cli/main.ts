#!/usr/bin/env node
import { Command } from "commander";
import { EXIT } from "./exit-codes.js";
import { explain } from "./outputs.js";
import { TOOL } from "./version.js";

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Runs the verb on its own words. Its module is loaded only then: a command should start in an instant. */
  readonly run: (words: readonly string[]) => Promise<void>;
}

const VERBS: readonly Verb[] = [
  {
    name: "run",
    summary: "load a server on a schedule, and say how long it really took to answer",
    run: async (words) => (await import("./run.js")).run(words),
  },
  {
    name: "serve",
    summary: "start a server with any kind of slowness on a knob",
    run: async (words) => (await import("./serve.js")).serve(words),
  },
  {
    name: "report",
    summary: "print the summary of a recorded run again",
    run: async (words) => (await import("./report.js")).report(words),
  },
  {
    name: "merge",
    summary: "make one record of several: shares of one run, or repetitions of it",
    run: async (words) => (await import("./merge.js")).merge(words),
  },
  {
    name: "demo",
    summary: "see it work: a slow server, a run against it, the summary",
    run: async (words) => (await import("./demo.js")).demo(words),
  },
];

const TOP_HELP = `
Examples:
  Something to practise on: one worker, 5 ms a request, so a capacity of 200/s:
    $ tailrace serve &

  130 requests a second for 30 s, sent by users who do not know of each other:
    $ tailrace run --rate 130 http://127.0.0.1:8090/

  Keep everything that was measured, and print it again:
    $ tailrace run --rate 130 --json run.json http://127.0.0.1:8090/
    $ tailrace report run.json

tailrace <command> --help tells more of each.`;

async function main(words: readonly string[]): Promise<void> {
  const [first, ...rest] = words;
  const helpOn = first === "help" ? rest[0] : undefined;
  const name = helpOn ?? first;
  const verb = VERBS.find((known) => known.name === name);
  if (verb !== undefined) await verb.run(helpOn === undefined ? rest : ["--help"]);
  else if (name === undefined || ["help", "-h", "--help"].includes(name)) process.stdout.write(help());
  else if (["-V", "--version", "version"].includes(name)) process.stdout.write(`${TOOL.version}\n`);
  else {
    process.stderr.write(`tailrace: ${mistake(name)}\ntailrace --help lists the commands.\n`);
    process.exitCode = EXIT.usage;
  }
}

function help(): string {
  const program = new Command("tailrace")
    .usage("<command> [options]")
    .description(
      "A load tester that cannot be fooled: it sends on a schedule and measures from when each request was meant to go out.",
    )
    .option("-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help <command>", "tell more of a command");
  for (const { name, summary } of VERBS) program.command(name).usage("").summary(summary);
  return `${program.helpInformation()}${TOP_HELP}\n`;
}

/** What was typed in place of a command, and what was probably meant. */
function mistake(name: string): string {
  if (name.startsWith("-") || name.includes("://")) {
    return "the command is missing; write it like tailrace run http://127.0.0.1:8090/";
  }
  const letters = (word: string) => Array.from(word).toSorted().join("");
  const near = VERBS.find((verb) => letters(verb.name) === letters(name) || oneLetterApart(verb.name, name));
  return `there is no command "${name}"${near === undefined ? "" : `; did you mean ${near.name}?`}`;
}

/** One letter more, less, or other. */
function oneLetterApart(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  let same = 0;
  while (same < short.length && long[same] === short[same]) same++;
  const rest = long.slice(same + 1);
  return rest === short.slice(same) || rest === short.slice(same + 1);
}

/** A reader that went away (`tailrace … | head`) is no fault; a full disk is one, but not worth a stack trace. */
function onStdoutError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE" || stdoutFailed) return;
  stdoutFailed = true;
  process.stderr.write(`tailrace: standard output could not be written: ${explain(error)}\n`);
  process.once("exit", (code) => {
    if (code === EXIT.ok) process.exitCode = EXIT.failed;
  });
}

let stdoutFailed = false;
process.stdout.on("error", onStdoutError);

await main(process.argv.slice(2));
