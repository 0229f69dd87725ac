import { type Parsed, parsed, unparsed } from "./parsed.js";

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
};

/** Reads a size such as `512`, `16k` or `1MB` (powers of 1024). @returns bytes. */
export function parseSize(text: string): Parsed<number> {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?b?)$/i.exec(text.trim());
  if (match === null) return unparsed(`"${text}" is not a size; write it like 512, 16k or 1MB`);
  const bytes = Math.round(Number(match[1]) * (BYTES_PER_UNIT[(match[2] ?? "").toLowerCase()] ?? 1));
  return Number.isSafeInteger(bytes) ? parsed(bytes) : unparsed(`"${text}" is more than can be counted`);
}

/** `512 B`, `16 KB`, `1.5 MB` (powers of 1024). */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  for (const unit of ["KB", "MB", "GB"]) {
    // What would round up to 1024 of a unit is one of the next.
    if (value < 1023.5) return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${unit}`;
    value /= 1024;
  }
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} TB`;
}
