import { Command } from "commander";
import { parseTarget } from "../driver/endpoint.js";
import { measure } from "../engine/coordinator.js";
import { descriptorLimit, ownHosts } from "../engine/host.js";
import { TargetError } from "../engine/target.js";
import type { RunFlags } from "../plan/flags.js";
import type { Plan } from "../plan/plan.js";
import { resolvePlan } from "../plan/resolve.js";
import type { RunRecord } from "../record/record.js";
import { summaryText } from "../report/summary-text.js";
import { conclude } from "../verdict/conclude.js";
import { checkTarget } from "./check.js";
import { EXIT } from "./exit-codes.js";
import { interruptions } from "./interruptions.js";
import { parseAll } from "./parse-all.js";
import { Progress } from "./progress.js";
import { readInput } from "./read-input.js";
import { type ResultFlags, Results } from "./results.js";
import { RUN_EXAMPLES } from "./run-help.js";
import { TOOL } from "./version.js";

/** Options as commander hands them over. */
interface Options
  extends Omit<RunFlags, "url" | "body" | "method" | "ca" | "cert" | "key" | "header" | "ipv4" | "ipv6">,
    ResultFlags {
  readonly request?: string;
  readonly header?: readonly string[];
  readonly data?: readonly string[];
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly ipv4?: boolean;
  readonly ipv6?: boolean;
  readonly check?: boolean;
  readonly quiet?: boolean;
}

/** `tailrace run`: reads the command line, carries the plan out, and prints what came of it. */
export async function run(words: readonly string[]): Promise<void> {
  const command = runCommand();
  const line = parseAll(command, words);
  if (line.helped) return;
  const options = command.opts<Options>();
  const problems = [...line.problems];
  const files = readFiles(options, problems);
  const resolution = resolvePlan(
    { ...options, ...files, ...given("url", command.args[0]), ...given("method", options.request) },
    {
      environment: process.env,
      descriptorLimit: descriptorLimit(),
      freshSeed: Math.floor(Math.random() * 1e6),
      ownHosts: ownHosts(),
      parseUrl: parseTarget,
    },
  );
  if (!resolution.ok) problems.push(...resolution.problems);
  const results = Results.open(options);
  problems.push(...results.problems);
  if (!resolution.ok || problems.length > 0) {
    results.discard();
    for (const problem of problems) process.stderr.write(`tailrace run: ${problem}\n`);
    process.stderr.write("Nothing was sent. tailrace run --help shows every flag, with examples.\n");
    process.exitCode = EXIT.usage;
    return;
  }
  if (options.check === true) {
    results.discard();
    process.exitCode = await checkTarget(resolution.plan).catch(nothingSent);
  } else process.exitCode = await carryOut(resolution.plan, results, options.quiet === true);
}

async function carryOut(plan: Plan, results: Results, quiet: boolean): Promise<number> {
  const progress = new Progress(plan.load.kind === "open" ? plan.load.ratePerS : null, quiet);
  const stops = interruptions((times) => progress.interrupted(times));
  const measurement = await measure(plan, {
    tool: TOOL,
    descriptorLimit: descriptorLimit(),
    ...stops,
    onLive: (view) => progress.show(view),
    ...(results.wantsSamples && { onSamples: (rows: Float64Array) => results.addSamples(rows) }),
  }).catch(nothingSent);
  progress.clear();
  stops.release();
  if (typeof measurement === "number") {
    results.discard();
    return stops.stopSchedule.aborted ? EXIT.interrupted : measurement;
  }
  const record = conclude(measurement, results.wantsRecord ? "all" : "summary");
  const complaints = await results.write(record, measurement);
  const text = summaryText(record);
  (results.jsonToStdout ? process.stderr : process.stdout).write(text);
  for (const complaint of complaints) process.stderr.write(`tailrace run: ${complaint}\n`);
  return exitCode(record, complaints.length > 0);
}

/** @returns the exit code for a target that cannot be loaded */
function nothingSent(error: unknown): number {
  if (!(error instanceof TargetError)) throw error;
  process.stderr.write(`tailrace run: ${error.message}\nNothing was sent.\n`);
  return EXIT.usage;
}

function exitCode({ ended }: RunRecord, unwritten: boolean): number {
  if (ended.how === "interrupted") return EXIT.interrupted;
  return unwritten || ended.how === "aborted" || ended.how === "worker-lost" ? EXIT.failed : EXIT.ok;
}

/** Bodies and certificates are read now: nothing is looked for once the clock runs. */
function readFiles(options: Options, problems: string[]): Pick<RunFlags, "body" | "ca" | "cert" | "key"> {
  const read = (flag: string, path: string | undefined): Buffer | undefined => {
    if (path === undefined) return undefined;
    const bytes = readInput(path);
    if (bytes.ok) return bytes.value;
    problems.push(`${flag}: ${bytes.problem}`);
    return undefined;
  };
  const parts = (options.data ?? []).flatMap(
    (text) => (text.startsWith("@") ? read("-d", text.slice(1)) : Buffer.from(text)) ?? [],
  );
  // Several are one form, as in curl.
  const joined = parts.flatMap((part, i) => (i === 0 ? [part] : [Buffer.from("&"), part]));
  const body = parts.length === 0 ? undefined : Buffer.concat(joined);
  return {
    ...given("body", body),
    ...given("ca", read("--cacert", options.cacert)?.toString()),
    ...given("cert", read("--cert", options.cert)?.toString()),
    ...given("key", read("--key", options.key)?.toString()),
  };
}

/** A property that is there only if its value is. */
function given<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V });
}

/** How a secret from the environment is named on the command line. */
const ENVIRONMENT_VARIABLE = "$" + "{NAME}";

const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

export function runCommand(): Command {
  return new Command("tailrace run")
    .usage("[options] <url>")
    .description(
      "Sends requests on a schedule fixed beforehand, whatever the server does, and measures each from the moment it was " +
        "meant to go out. Without options: 50 requests a second for 30 s, at random (Poisson) intervals.",
    )
    .argument("[url]", "what to load, like http://127.0.0.1:8090/")
    .helpOption("-h, --help", "show this help")
    .optionsGroup("How much, how long:")
    .option("--rate <rate>", "requests to send, like 50, 50/s, 2.5k/s or 600/m (default: 50/s)")
    .option(
      "--arrivals <how>",
      "poisson: users who do not know of each other; constant: a metronome (default: poisson)",
    )
    .option("--duration <time>", "length of the schedule, warm-up included, like 30s or 5m (default: 30s)")
    .option("--requests <n>", "end after so many, like 1000 or 10k; without --duration the time it takes")
    .option("--warmup <time>", "what was meant to go out before this stays out of the figures, in a place of its own")
    .option("--seed <n>", "same seed, same schedule (default: a new one each run, printed)")
    .optionsGroup("Closed loop (each user sends again after its last answer):")
    .option("--closed <users>", "how many users, in place of --rate")
    .option("--think <time>", "pause between an answer and the next request (default: 0s)")
    .option(
      "--expected-interval <time>",
      "what a user's interval should be: adds a column corrected for what was not sent",
    )
    .optionsGroup("Request:")
    .option("-X, --request <method>", "method (default: GET, or POST with -d)")
    .option(
      "-H, --header <header>",
      `'Name: value', repeatable; ${ENVIRONMENT_VARIABLE} in it comes from the environment`,
      collect,
    )
    .option("-d, --data <body>", "body; @FILE reads a file, @- standard input; repeatable, joined by &", collect)
    .option("-u, --user <user:password>", `basic authentication; ${ENVIRONMENT_VARIABLE} comes from the environment`)
    .option("--expect-status <list>", "statuses that count as ok, like 200, 2xx or 200-299,304 (default: 200-399)")
    .option("--timeout <time>", "from the intended time; 0s for none (default: 10s)")
    .optionsGroup("Connections:")
    .option(
      "--connections <n>",
      "a fixed pool; requests wait for one, and the wait counts (default: as many as needed)",
    )
    .option("--max-in-flight <n>", "most requests due and not yet answered (default: by the descriptor limit)")
    .option("--no-keepalive", "a new connection for each request")
    .option("-4, --ipv4", "IPv4 only")
    .option("-6, --ipv6", "IPv6 only")
    .option("--resolve <host:port:address>", "dial this address for that name, repeatable", collect)
    .option("--unix-socket <path>", "dial a unix socket")
    .optionsGroup("TLS:")
    .option("--cacert <file>", "trust these certificates (PEM) in place of the system's")
    .option("--cert <file>", "client certificate (PEM)")
    .option("--key <file>", "its key (PEM), unless in the same file")
    .option("--servername <name>", "name to ask for and to check the certificate against (default: the URL's host)")
    .option("-k, --insecure", "accept any certificate")
    .optionsGroup("Generator:")
    .option("--threads <n>", "worker threads; the schedule is the same for any number (default: 1)")
    .option("--pacing <how>", "auto; spin: a whole core, microseconds of lag; sleep: least CPU (default: auto)")
    .option("--abort-on <condition>", "end early, like 'errors>50%' or 'timeouts>100', repeatable", collect)
    .option("-y, --yes", "yes, this target may be sent more than 1,000 requests a second")
    .optionsGroup("Output:")
    .option("--check", "send one request, print both sides and how long each part took, and end")
    .option("--json <file>", "write the whole record; - for standard output")
    .option("--hlog <file>", "write the windows as an HdrHistogram log")
    .option("--hgrm <file>", "write the percentile distribution for HdrHistogram plotters")
    .option("--samples <file>", "write a line (CSV) for each request")
    .option("--tag <name=value>", "keep a label in the record, repeatable", collect)
    .option("--quiet", "no progress, only the summary")
    .addHelpText("after", RUN_EXAMPLES);
}
