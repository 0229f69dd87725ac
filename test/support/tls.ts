import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A certificate or key of the tests: its path, for the command line, and its text. */
export function tlsFile(name: string): { readonly path: string; readonly pem: string } {
  const path = fileURLToPath(new URL(`../data/tls/${name}`, import.meta.url));
  return { path, pem: readFileSync(path, "utf8") };
}
