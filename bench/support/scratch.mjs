import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @type {Set<string>} */
const folders = new Set();

process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new temporary folder, gone when the bench is. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tailrace-bench-"));
  folders.add(folder);
  return folder;
}
