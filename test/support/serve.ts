import type { ServerStats } from "../../src/server/http.js";
import { type Running, startTailrace, until } from "./cli.js";

export interface Served {
  readonly url: string;
  readonly running: Running;
  /** The server's own record of what truly happened. */
  stats(): Promise<ServerStats>;
}

/** Starts `tailrace serve` on a free port (or the one in `flags`), until the test ends. */
export async function serve(...flags: readonly string[]): Promise<Served> {
  const port = flags.includes("--port") ? [] : ["--port", "0"];
  const running = startTailrace(["serve", ...port, ...flags]);
  let dead = false;
  void running.finished.then(() => {
    dead = true;
  });
  await until(() => dead || running.output.stdout.includes("\n"), "the server's first line");
  const url = /http:\/\/\S+/.exec(running.output.stdout)?.[0];
  if (url === undefined) throw new Error(`no server: ${running.output.stdout}${running.output.stderr}`);
  return {
    url,
    running,
    stats: async () => (await (await fetch(`${url}/__tailrace/stats`)).json()) as ServerStats,
  };
}

/** One that answers at once, any number at a time: for tests of what is counted, not of how long it takes. */
export const serveFast = (...flags: readonly string[]) =>
  serve("--workers", "0", "--dist", "const", "--service", "0ms", ...flags);
