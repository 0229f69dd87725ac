import { readFileSync } from "node:fs";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Manifest;

/** Name and version as in every record. */
export const TOOL = { name: manifest.name, version: manifest.version } as const;
