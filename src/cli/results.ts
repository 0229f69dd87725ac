import { SAMPLE_COLUMNS, SAMPLE_OUTCOMES } from "../engine/messages.js";
import { runHgrm, runHlog } from "../format/run-hlog.js";
import { writeRun } from "../format/run-json.js";
import { SAMPLES_HEADER, sampleLine } from "../format/samples-csv.js";
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
  write(record: RunRecord, measurement: Measurement): string[] {
    if (this.jsonToStdout) process.stdout.write(writeRun(record));
    const samples = this.samples?.finish();
    return [
      ...writeOne("--json", this.json, () => writeRun(record)),
      ...writeOne("--hlog", this.hlog, () => runHlog(measurement)),
      ...writeOne("--hgrm", this.hgrm, () => runHgrm(measurement)),
      ...(samples === undefined
        ? []
        : [`--samples: ${this.samples?.path} is not whole: ${samples}; what fitted is in its .part file`]),
    ];
  }

  /** Nothing was measured: leaves no files. */
  discard(): void {
    for (const output of [this.json, this.hlog, this.hgrm, this.samples]) output?.discard();
  }

  private openOne(flag: string, path: string | undefined): Output | undefined {
    if (path === undefined) return undefined;
    const output = Output.open(flag, path);
    if (output.ok) return output.value;
    this.problems.push(output.problem);
    return undefined;
  }
}

function writeOne(flag: string, output: Output | undefined, text: () => string): string[] {
  if (output === undefined) return [];
  const content = text();
  output.write(content);
  const failure = output.finish();
  if (failure === undefined) return [];
  const saved = rescue(output.path, content);
  const where = saved === undefined ? "and there was no other place for it" : `it is in ${saved} instead`;
  return [`${flag}: ${output.path} could not be written: ${failure}; ${where}`];
}
