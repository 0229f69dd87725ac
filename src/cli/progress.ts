import ansis from "ansis";
import { type LiveNumbers, liveLine } from "../report/live-text.js";

const PLAIN_EVERY_MS = 5000;

/** How the run is doing, on standard error: one line redrawn on a terminal, a line every five seconds elsewhere. */
export class Progress {
  private readonly targetPerS: number | null;
  private readonly quiet: boolean;
  private readonly terminal = process.stderr.isTTY === true;
  private drawn = false;
  private nextPlainMs = PLAIN_EVERY_MS;

  constructor(targetPerS: number | null, quiet: boolean) {
    this.targetPerS = targetPerS;
    this.quiet = quiet;
  }

  show(now: LiveNumbers): void {
    if (this.quiet) return;
    const line = liveLine(now, this.targetPerS);
    if (this.terminal) {
      const width = process.stderr.columns;
      process.stderr.write(`\r${ansis.dim(line.slice(0, width - 1))}\u001b[K`);
      this.drawn = true;
    } else if (now.elapsedMs >= this.nextPlainMs) {
      this.nextPlainMs += PLAIN_EVERY_MS;
      process.stderr.write(`${line}\n`);
    }
  }

  interrupted(times: number): void {
    this.clear();
    process.stderr.write(
      times === 1 ? "Ending the schedule, waiting for what is out. Again to end at once.\n" : "Ending now.\n",
    );
  }

  clear(): void {
    if (this.drawn) process.stderr.write("\r\u001b[K");
    this.drawn = false;
  }
}
