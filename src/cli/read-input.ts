import { readFileSync } from "node:fs";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import { explain } from "./outputs.js";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
};

/** Reads a file the user named, whole; `-` is standard input. */
export function readInput(path: string): Parsed<Buffer> {
  try {
    return parsed(readFileSync(path === "-" ? 0 : path));
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""] ?? explain(error);
    return unparsed(`${nameOf(path)} cannot be read: ${reason}`);
  }
}

/** How a message names it. */
export const nameOf = (path: string) => (path === "-" ? "standard input" : path);
