import { readFileSync } from "node:fs";
import { readRun } from "../format/run-json.js";
import type { RunRecord } from "../record/record.js";
import { type Parsed, unparsed } from "../units/parsed.js";
import { explain } from "./outputs.js";

/** Reads a record from a file, or from standard input for `-`. */
export function readRecordFile(path: string): Parsed<RunRecord> {
  let text: string;
  try {
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : explain(error);
    return unparsed(`${path} cannot be read: ${reason}`);
  }
  const record = readRun(text);
  return record.ok ? record : unparsed(`${path === "-" ? "standard input" : path} cannot be used: ${record.problem}`);
}
