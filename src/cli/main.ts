#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { EXIT } from "./exit-codes.js";
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
    run: async (words) => {
      await (await import("./serve.js")).serveCommand().parseAsync(words, { from: "user" });
    },
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

  130 requests a second for 30 s, as 130 users who do not know of each other send them:
    $ tailrace run --rate 130 http://127.0.0.1:8090/

  Keep everything that was measured, and print it again:
    $ tailrace run --rate 130 --json run.json http://127.0.0.1:8090/
    $ tailrace report run.json

tailrace <command> --help tells more of each.`;

async function main(words: readonly string[]): Promise<void> {
  const verb = VERBS.find(({ name }) => name === words[0]);
  if (verb !== undefined) {
    await verb.run(words.slice(1));
    return;
  }
  const program = new Command("tailrace")
    .description(
      "A load tester that cannot be fooled: it sends on a schedule and measures from when each request was meant to go out.",
    )
    .version(TOOL.version)
    .addHelpText("after", TOP_HELP)
    .exitOverride();
  for (const { name, summary } of VERBS) program.command(name).summary(summary).description(summary);
  try {
    if (words.length === 0) program.outputHelp();
    else program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

/** A reader that went away (`tailrace … | head`) is no fault worth a stack trace. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

await main(process.argv.slice(2));
