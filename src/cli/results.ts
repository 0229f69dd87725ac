import { SAMPLE_COLUMNS, SAMPLE_OUTCOMES } from "../engine/messages.js";
import { runHgrm, runHlog } from "../format/run-hlog.js";
import { SAMPLES_HEADER, sampleLine } from "../format/samples-csv.js";
import { writeRun } from "../format/write-run.js";
import type { Measurement } from "../record/measurement.js";
import type { RunRecord } from "../record/record.js";
import { Output, rescue } from "./outputs.js";

export interface ResultFlags {
  readonly json?: string;
  readonly hlog?: string;
  readonly hgrm?: string;
  readonly samples?: string;
}

/** The files a run was asked to write: opened before it, written after it, and what cannot be written is saved elsewhere. */
export class Results {
  readonly problems: string[] = [];
  readonly jsonToStdout: boolean;
  private readonly json: Output | undefined;
  private readonly hlog: Output | undefined;
  private readonly hgrm: Output | undefined;
  private readonly samples: Output | undefined;
  /** Which flag named a file first. */
  private readonly flagOf = new Map<string, string>();

  private constructor(flags: ResultFlags) {
    this.jsonToStdout = flags.json === "-";
    this.json = this.jsonToStdout ? undefined : this.openOne("--json", flags.json);
    this.hlog = this.openOne("--hlog", flags.hlog);
    this.hgrm = this.openOne("--hgrm", flags.hgrm);
    this.samples = this.openOne("--samples", flags.samples);
    this.samples?.write(SAMPLES_HEADER);
  }

  /** `problems` tells which could not be opened. */
  static open(flags: ResultFlags): Results {
    return new Results(flags);
  }

  /** Whether the record itself is to be written, and not only shown. */
  get wantsRecord(): boolean {
    return this.jsonToStdout || this.json !== undefined;
  }

  get wantsSamples(): boolean {
    return this.samples !== undefined;
  }

  addSamples(rows: Float64Array): void {
    const width = SAMPLE_COLUMNS.length;
    let text = "";
    for (let at = 0; at < rows.length; at += width) {
      text += sampleLine({
        arrival: rows[at]!,
        intendedNs: rows[at + 1]!,
        sentNs: rows[at + 2]!,
        firstByteNs: rows[at + 3]!,
        doneNs: rows[at + 4]!,
        outcome: SAMPLE_OUTCOMES[rows[at + 5]!]!,
        status: rows[at + 6]!,
        fresh: rows[at + 7] === 1,
      });
    }
    this.samples?.write(text);
  }

  /** @returns a sentence for each file that is not where it should be */
  async write(record: RunRecord, measurement: Measurement): Promise<string[]> {
    return [
      ...(this.jsonToStdout ? await printOne(writeRun(record)) : []),
      ...writeOne("--json", this.json, () => writeRun(record)),
      ...writeOne("--hlog", this.hlog, () => runHlog(measurement)),
      ...writeOne("--hgrm", this.hgrm, () => runHgrm(measurement)),
      ...finishSamples(this.samples),
    ];
  }

  /** Nothing was measured: leaves no files. */
  discard(): void {
    for (const output of [this.json, this.hlog, this.hgrm, this.samples]) output?.discard();
  }

  private openOne(flag: string, path: string | undefined): Output | undefined {
    if (path === undefined) return undefined;
    const output = Output.open(flag, path);
    if (!output.ok) {
      this.problems.push(output.problem);
      return undefined;
    }
    const { path: real, partPath } = output.value;
    const other = partPath === undefined ? undefined : this.flagOf.get(real);
    if (other !== undefined)
      this.problems.push(`${flag}: ${path} is what ${other} writes; give each a file of its own`);
    this.flagOf.set(real, flag);
    return output.value;
  }
}

function writeOne(flag: string, output: Output | undefined, text: () => string): string[] {
  if (output === undefined) return [];
  const content = text();
  output.write(content);
  const failure = output.finish();
  if (failure === undefined) return [];
  const saved = rescue(output.path, content);
  if (saved !== undefined) output.dropPart();
  return [`${flag}: ${output.path} could not be written: ${failure}; ${whereabouts(saved)}`];
}

/** To standard output. A reader that has gone away did not want the rest. */
async function printOne(text: string): Promise<string[]> {
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(text, resolve);
  });
  if (!error || error.code === "EPIPE") return [];
  return [`--json: standard output took only part of the record; ${whereabouts(rescue("run.json", text))}`];
}

const whereabouts = (saved: string | undefined) =>
  saved === undefined ? "and there was no other place for it" : `it is in ${saved} instead`;

function finishSamples(samples: Output | undefined): string[] {
  const failure = samples?.finish();
  if (samples === undefined || failure === undefined) return [];
  const kept = samples.partPath === undefined ? "" : `; what fitted is in ${samples.partPath}`;
  return [`--samples: ${samples.path} is not whole: ${failure}${kept}`];
}
