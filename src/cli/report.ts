import { Command } from "commander";
import { summaryText } from "../report/summary-text.js";
import { EXIT } from "./exit-codes.js";
import { parseAll } from "./parse-all.js";
import { readRecordFile } from "./record-file.js";

/** `tailrace report`: the summary of a record, as `run` printed it. */
export async function report(words: readonly string[]): Promise<void> {
  const command = new Command("tailrace report")
    .usage("<run.json>")
    .description("Prints the summary of a recorded run again, just as run did.")
    .argument("[record]", "a file that run --json or merge wrote; - for standard input")
    .helpOption("-h, --help", "show this help")
    .addHelpText(
      "after",
      "\nExample:\n  $ tailrace run --json run.json http://127.0.0.1:8090/\n  $ tailrace report run.json",
    );
  const line = parseAll(command, words);
  if (line.helped) return;
  const [path] = command.args;
  const problems = [
    ...line.problems,
    ...(path === undefined ? ["missing the record; give a file that run --json wrote"] : []),
  ];
  const record = path === undefined ? undefined : readRecordFile(path);
  if (record !== undefined && !record.ok) problems.push(record.problem);
  if (record === undefined || !record.ok || problems.length > 0) {
    for (const problem of problems) process.stderr.write(`tailrace report: ${problem}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  process.stdout.write(summaryText(record.value));
}
