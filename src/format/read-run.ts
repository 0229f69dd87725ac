import { HdrFormatError } from "../hdr/index.js";
import type { Measurement } from "../record/measurement.js";
import { RUN_SCHEMA, type RunRecord } from "../record/record.js";
import { reopen } from "../record/summarise.js";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { runSchema } from "./schema.js";

/** Reads a record, or says what is wrong with it and where. */
export function readRun(text: string): Parsed<RunRecord> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return unparsed(text.trim() === "" ? "it is empty" : `it is no JSON: ${(error as Error).message}`);
  }
  const schema = (json as { schema?: unknown } | null)?.schema;
  if (schema !== RUN_SCHEMA) {
    return unparsed(
      typeof schema === "string" && schema.startsWith("tailrace/")
        ? `it is ${schema}, and this version reads ${RUN_SCHEMA}`
        : `it is no tailrace record: "schema" should be "${RUN_SCHEMA}"`,
    );
  }
  const result = runSchema.safeParse(json);
  if (result.success) return parsed(result.data);
  const [issue] = result.error.issues;
  const where = issue?.path.join(".") ?? "";
  return unparsed(`its field ${where} is wrong: ${issue?.message ?? "unknown"}`);
}

/** The measurement in a record; its histograms are read here, and complained about. */
export function reopenRun(record: RunRecord): Parsed<Measurement> {
  try {
    return parsed(reopen(record));
  } catch (error) {
    if (error instanceof HdrFormatError) return unparsed(`a histogram in it cannot be read: ${error.message}`);
    throw error;
  }
}
