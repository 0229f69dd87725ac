import { Command } from "commander";
import { resolveServerConfig, type ServeFlags, type ServerConfig } from "../server/config.js";
import { describeBehaviour } from "../server/describe.js";
import { type RunningServer, type ServerStats, startServer } from "../server/http.js";
import { ServerStartError } from "../server/start-error.js";
import { formatDuration, NS_PER_MS } from "../units/duration.js";
import { formatCount } from "../units/rate.js";
import { EXIT } from "./exit-codes.js";
import { parseAll } from "./parse-all.js";

const EXAMPLES = `
Examples:
  A server of 1 worker and exponential service of 5 ms, so a capacity of 200/s:
    $ tailrace serve

  It freezes for 500 ms after every 5 s of running, like a garbage collector:
    $ tailrace serve --stall-every 5s --stall 500ms

  Never busy, but 3 % of its answers take 100 ms; for hedging, start two:
    $ tailrace serve --workers 0 --dist const --slow-prob 3% --slow 100ms

  Four workers, heavy-tailed work, and no more than 50 may wait:
    $ tailrace serve --workers 4 --dist pareto:1.8 --queue-limit 50

How it keeps time:
  Work is virtual: no CPU is burnt. When each request starts and ends follows
  from the arrivals and the draws alone (first come, first served), so the true
  capacity is exactly workers / mean service. The i-th arrival gets the i-th
  draw of the seed.

Its own record:
  Server-Timing            header of each answer: true wait and service in ms
  GET  /__tailrace/stats   arrivals, completions, refusals, true histograms
  POST /__tailrace/reset   record, draws, queue and freezes begin anew`;

export function serveCommand(): Command {
  return new Command("tailrace serve")
    .description(
      "Starts an HTTP/1.1 server whose slowness is known exactly: what to practise on, and to test testers with.",
    )
    .optionsGroup("Where:")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--port <number>", "port, or 0 for any free one (default: 8090)")
    .optionsGroup("How much, how fast:")
    .option("--workers <n>", "requests served at once, 0 for any number (default: 1)")
    .option("--service <time>", "mean service time (default: 5ms)")
    .option(
      "--dist <name>",
      "exp, const, lognormal, pareto, bimodal, or like rare:5%:100ms: 5 % take 100 ms, the rest what keeps the mean (default: exp)",
    )
    .option("--sigma <number>", "shape of lognormal (default: 1)")
    .option("--alpha <number>", "shape of pareto: its tail index, above 1 (default: 2.5)")
    .option("--modes <share:factor>", "shape of bimodal (default: 10%:10x)")
    .option("--seed <n>", "same seed, same draws (default: 1)")
    .optionsGroup("Slow at times:")
    .option("--slow-prob <share>", "share of requests that take exactly --slow")
    .option("--slow <time>", "what they take")
    .option(
      "--slow-by <what>",
      "arrival: each time anew; request: by header x-tailrace-key, else path and query, the same on every replica (default: arrival)",
    )
    .option("--stall-every <time>", "the whole server freezes after running so long ...")
    .option("--stall <time>", "... for so long")
    .option("--load-factor <f>", "service grows by f for each request in the system on arrival")
    .option(
      "--cold <n>",
      "the first request takes 10 times as long, falling in a line to normal at the n-th; the first after an idle second, 10 times too",
    )
    .option("--lock <share:time>", "share of requests that hold one mutex for so long, like 2%:40ms")
    .optionsGroup("Overload:")
    .option("--limit <rate>", "429 with Retry-After above it, like 100/s; bursts up to one second's worth pass")
    .option("--queue-limit <n>", "503 when n are waiting already")
    .option(
      "--after-overload <time:factor>",
      "slower for a while after a refusal, or more than 10 waiting a worker, like 5s:2x",
    )
    .optionsGroup("Faults:")
    .option("--fail-prob <share>", "share of requests answered with --fail-status")
    .option("--fail-status <code>", "400 to 599 (default: 500)")
    .option("--reset-prob <share>", "share of requests whose connection is reset, in place of an answer")
    .option("--body-size <size>", "bytes of each answer's body, like 512 or 16k (default: 3)")
    .option("--cancel", "a client's hang-up stops its work (default: work goes on)")
    .optionsGroup("Clock:")
    .option("--pacing <how>", "auto: within 0.3 ms; spin: a whole core, microseconds; sleep: least CPU (default: auto)")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", EXAMPLES);
}

/** `tailrace serve`: the tail server, until interrupted. */
export async function serve(words: readonly string[]): Promise<void> {
  const command = serveCommand();
  const line = parseAll(command, words);
  if (line.helped) return;
  const resolution = resolveServerConfig(command.opts<ServeFlags>());
  if (!resolution.ok || line.problems.length > 0) {
    complain([...line.problems, ...(resolution.ok ? [] : resolution.problems)]);
    return;
  }
  try {
    const server = await startServer(resolution.config);
    process.stdout.write(`${listeningLine(server, resolution.config)}\n`);
    await interrupted();
    process.stdout.write(`${summaryLine(server.stats())}\n`);
    await server.close();
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error;
    complain([error.message]);
  }
}

function complain(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`tailrace serve: ${problem}\n`);
  process.exitCode = EXIT.usage;
}

/** `tail server on http://127.0.0.1:8090 · 1 worker · exp 5 ms → capacity 200/s · seed 1` */
export function listeningLine(server: Pick<RunningServer, "url">, config: ServerConfig): string {
  return `tail server on ${server.url} · ${describeBehaviour(config)}`;
}

/** What truly happened, in one line. */
export function summaryLine({ counts, times }: ServerStats): string {
  const refused = counts.refusedByLimit + counts.refusedByQueue;
  const others = [
    [refused, "refused"],
    [counts.failures, "failed"],
    [counts.resets, "reset"],
    [counts.cancelled, "cancelled"],
    [counts.inFlight, "still in flight"],
  ] as const;
  const response = times.response.percentiles
    .filter(({ p }) => p === 50 || p === 99)
    .map(({ p, valueMs }) => `p${p} ${formatDuration(valueMs * NS_PER_MS)}`);
  return [
    `${formatCount(counts.arrivals)} ${counts.arrivals === 1 ? "arrival" : "arrivals"}`,
    ...others.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`),
    response.length === 0 ? "no true response times" : `true response ${response.join(", ")}`,
  ].join(" · ");
}

/** The first Ctrl-C or SIGTERM. Later ones find no handler and end the process at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      resolve();
    };
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
  });
}
