import type { RunRecord } from "../record/record.js";

/** The record as a file's text: indented, for people and diffs read it too. */
export function writeRun(record: RunRecord): string {
  return `${JSON.stringify(record, null, 1)}\n`;
}
