import { readRun } from "../format/read-run.js";
import type { RunRecord } from "../record/record.js";
import { type Parsed, unparsed } from "../units/parsed.js";
import { nameOf, readInput } from "./read-input.js";

/** Reads a record from a file, or from standard input for `-`. */
export function readRecordFile(path: string): Parsed<RunRecord> {
  const bytes = readInput(path);
  if (!bytes.ok) return bytes;
  const record = readRun(bytes.value.toString());
  return record.ok ? record : unparsed(`${nameOf(path)} cannot be used: ${record.problem}`);
}
