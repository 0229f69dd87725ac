import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the test's own, removed with all that is in it when the test ends. */
export class Room {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "tailrace-test-"));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  read(name: string): string {
    return readFileSync(this.file(name), "utf8");
  }

  /** What lies in it, sorted. */
  list(): string[] {
    return readdirSync(this.path).sort();
  }
}
