import { Command } from "commander";
import { reopenRun } from "../format/read-run.js";
import { writeRun } from "../format/write-run.js";
import { merge as mergeMeasurements } from "../record/merge.js";
import { summaryText } from "../report/summary-text.js";
import { conclude } from "../verdict/conclude.js";
import { EXIT } from "./exit-codes.js";
import { Output } from "./outputs.js";
import { parseAll } from "./parse-all.js";
import { readRecordFile } from "./record-file.js";

const ABOUT = `
What can be merged:
  shares        of one run, from several machines: windows are added, nothing is
                averaged
  repetitions   of one plan (seeds may differ): windows are set side by side

What is refused: the same record twice, runs of different plans, shares mixed
with repetitions.

Example:
  $ tailrace merge monday.json tuesday.json -o both.json`;

/** `tailrace merge`: one record of several, by adding histograms. */
export async function merge(words: readonly string[]): Promise<void> {
  const command = new Command("tailrace merge")
    .usage("<a.json> <b.json> ... -o <file>")
    .description("Makes one record of several by adding their histograms. Percentiles are never averaged.")
    .argument("[records...]", "files that run --json or merge wrote")
    .option("-o, --output <file>", "where to write the merged record; - for standard output")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", ABOUT);
  const line = parseAll(command, words);
  if (line.helped) return;
  const { output: target } = command.opts<{ output?: string }>();
  const problems = [...line.problems];
  if (target === undefined) problems.push("missing -o: say where to write the merged record, like -o both.json");
  const measurements = command.args.flatMap((path) => {
    const record = readRecordFile(path);
    const measurement = record.ok ? reopenRun(record.value) : record;
    if (!measurement.ok) problems.push(record.ok ? `${path}: ${measurement.problem}` : measurement.problem);
    return measurement.ok ? [measurement.value] : [];
  });
  const merged = mergeMeasurements(measurements);
  if (!merged.ok && problems.length === 0) problems.push(merged.problem);
  const output =
    problems.length === 0 && target !== undefined && target !== "-" ? Output.open("-o", target) : undefined;
  if (output !== undefined && !output.ok) problems.push(output.problem);
  if (!merged.ok || problems.length > 0) {
    for (const problem of problems) process.stderr.write(`tailrace merge: ${problem}\n`);
    process.exitCode = EXIT.usage;
    return;
  }
  const record = conclude(merged.measurement);
  if (output?.ok !== true) {
    process.stdout.write(writeRun(record));
    return;
  }
  output.value.write(writeRun(record));
  const failure = output.value.finish();
  if (failure !== undefined) {
    process.stderr.write(`tailrace merge: -o: ${target} could not be written: ${failure}\n`);
    process.exitCode = EXIT.failed;
    return;
  }
  process.stdout.write(
    `${merged.how} of ${measurements.length} records merged into ${target}\n\n${summaryText(record)}`,
  );
}
