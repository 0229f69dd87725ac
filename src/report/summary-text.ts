import ansis from "ansis";
import type { ClockName, Finding, RequestCounts, RunRecord } from "../record/record.js";
import type { Percentile, Summary } from "../stats/summary.js";
import { formatDuration, NS_PER_MS, spellDuration } from "../units/duration.js";
import { formatShare } from "../units/probability.js";
import { formatCount, formatRate } from "../units/rate.js";
import { formatSize } from "../units/size.js";
import { alignColumns, wrap } from "./table.js";

const WIDTH = 80;

/** The clocks shown side by side, where they have anything to show. */
const COLUMNS: readonly (readonly [ClockName, string])[] = [
  ["response", "response"],
  ["answered", "answered"],
  ["corrected", "corrected*"],
  ["service", "service"],
  ["sendLag", "send lag"],
];

/** A run, for reading in a terminal of 80 columns or more: what was done, what came of it, how long it took, what to mind. */
export function summaryText(record: RunRecord): string {
  const sections = [heading(record), ledger(record), latencyTable(record), notes(record), findings(record)];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function heading(record: RunRecord): string[] {
  const { method, url } = record.plan.request;
  const tags = Object.entries(record.plan.tags).map(([name, value]) => `${name}=${value}`);
  return [
    ...wrap(`${ansis.bold(`${method} ${url}`)}${tags.length > 0 ? ansis.dim(`  ${tags.join(" ")}`) : ""}`, WIDTH, "  "),
    ...wrap(describePlan(record), WIDTH),
  ];
}

/** The plan in one line, enough to repeat the run by. */
function describePlan({ plan, ended }: Pick<RunRecord, "plan" | "ended">): string {
  const { load } = plan;
  const seeds = ended.how === "merged" ? [...new Set(ended.parts.map(({ seed }) => seed))] : [plan.seed];
  const what =
    load.kind === "open"
      ? `open loop, ${load.arrivals === "poisson" ? "Poisson" : "constant"} ${formatRate(load.ratePerS)}`
      : `closed loop, ${load.users} user${load.users === 1 ? "" : "s"}${load.thinkMs > 0 ? ` thinking ${spellMs(load.thinkMs)}` : ""}`;
  const extent = [
    plan.requests === null ? "" : `${formatCount(plan.requests)} requests`,
    plan.durationMs === null ? "" : spellMs(plan.durationMs),
  ].filter((text) => text !== "");
  return [
    `${what}, ${extent.join(" or ")}`,
    ...(plan.warmupMs > 0 ? [`warm-up ${spellMs(plan.warmupMs)}`] : []),
    ...(plan.connections === null ? [] : [`${plan.connections} connections`]),
    ...(plan.request.keepAlive ? [] : ["no keep-alive"]),
    plan.timeoutMs === null ? "no timeout" : `timeout ${spellMs(plan.timeoutMs)}`,
    `${plan.threads} thread${plan.threads === 1 ? "" : "s"}, ${plan.pacing}`,
    `${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}`,
    ...(ended.how === "merged" ? [mergedFrom(ended)] : []),
  ].join(" · ");
}

function mergedFrom({ runs, parts }: Extract<RunRecord["ended"], { how: "merged" }>): string {
  const of = runs === 1 ? `${parts.length} shares of one run` : `${runs} runs`;
  return `merged from ${of}`;
}

const spellMs = (ms: number) => spellDuration(Math.round(ms * NS_PER_MS));

function ledger(record: RunRecord): string[] {
  const { requests, warmup, rate, outcomes, attempts } = record;
  const rows: (readonly [string, string])[] = [["requests", accounting(requests)]];
  if (requests.unsent > 0) {
    rows.push(["", `${formatCount(requests.unsent)} never sent: ${tally(requests.unsentBy)}`]);
  }
  if (warmup !== null) rows.push(["warm-up", `${formatCount(warmup.scheduled)} more, not in the figures`]);
  rows.push(["rate", rateLine(rate)]);
  const bodies = `${formatSize(outcomes.bodyBytes)} of bodies`;
  rows.push(["answers", [tally(outcomes.byStatus) || "none", bodies].join(" · ")]);
  for (const [kind, count] of Object.entries(outcomes.byError)) {
    const detail = kind === "status" ? "an unexpected status" : outcomes.details[kind];
    const text = `${formatCount(count)} ${kind}${detail === undefined ? "" : `: ${detail}`}`;
    rows.push([rows.at(-1)?.[0] === "errors" ? "" : "errors", ansis.red(text)]);
  }
  rows.push(["connections", connectionsLine(attempts)]);
  return rows.flatMap(([label, text]) => {
    const [first = "", ...more] = wrap(text, WIDTH - 13);
    return [`${ansis.dim(label.padEnd(12))} ${first}`, ...more.map((line) => " ".repeat(13) + line)];
  });
}

function accounting({ scheduled, ok, errors, timeouts, unfinished }: RequestCounts): string {
  const bad = (count: number, name: string) => {
    const text = `${formatCount(count)} ${name}`;
    return count > 0 ? ansis.red(text) : text;
  };
  const parts = [
    `${formatCount(ok)} ok`,
    bad(errors, "errors"),
    bad(timeouts, "timeouts"),
    bad(unfinished, "unfinished"),
  ];
  return `${formatCount(scheduled)} scheduled = ${parts.join(" + ")}`;
}

function rateLine({ targetPerS, achievedPerS, answeredPerS, sentVsScheduled }: RunRecord["rate"]): string {
  if (targetPerS === null) return `${formatRate(answeredPerS)} answered`;
  const due = `${formatShare(sentVsScheduled)} of what was due went out in time`;
  return [
    `${formatRate(achievedPerS)} sent of ${formatRate(targetPerS)} asked`,
    sentVsScheduled < 0.995 ? ansis.yellow(due) : due,
    `${formatRate(answeredPerS)} answered`,
  ].join(" · ");
}

function connectionsLine(attempts: RunRecord["attempts"]): string {
  const optional = [
    [attempts.staleRetries, "stale retries"],
    [attempts.connectFailures, "failed to open"],
    [attempts.connectionsClosed, "closed in good order"],
    [attempts.cancelled, "given up with their request"],
  ] as const;
  return [
    `${formatCount(attempts.connectionsOpened)} opened`,
    `${formatCount(attempts.connectionsReused)} times reused`,
    `${formatCount(attempts.connectionsLost)} lost`,
    ...optional.flatMap(([count, what]) => (count > 0 ? [`${formatCount(count)} ${what}`] : [])),
  ].join(" · ");
}

const tally = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${formatCount(count)} × ${name}`)
    .join(", ");

function latencyTable(record: RunRecord): string[] {
  const columns = COLUMNS.flatMap(([clock, title]) => {
    const summary = record.latency[clock];
    return summary === null ? [] : [{ clock, title, summary }];
  });
  const [main] = columns;
  if (main === undefined) return [ansis.yellow("Nothing was answered, so there are no times to show.")];
  const percentiles = main.summary.percentiles.map(({ p, tailCount }, row) => {
    const cells = columns.map(({ summary }) => percentileCell(summary.percentiles[row]));
    const line = [`p${p}`, ...cells, `${formatCount(tailCount)} beyond`];
    return p === 99 ? line.map((cell) => ansis.bold(cell)) : line;
  });
  const value = (of: (summary: Summary) => number | null) => columns.map(({ summary }) => formatMs(of(summary)));
  return alignColumns([
    ["", ...columns.map(({ title }) => ansis.dim(title))],
    ["n", ...columns.map(({ summary }) => formatCount(summary.n))],
    ...percentiles,
    ["max", ...value((summary) => summary.maxMs)],
    ["mean", ...value((summary) => summary.meanMs)],
  ]);
}

/** A value only where the run can show it: `≥` for a lower bound, `–` for a percentile with too few samples beyond. */
export function percentileCell(percentile: Percentile | undefined): string {
  if (percentile === undefined || percentile.status === "unknown") return "–";
  if (percentile.status === "failed" || percentile.valueMs === null) return "failed";
  const value = formatMs(percentile.valueMs);
  return percentile.status === "lower-bound" && value !== OVERFLOWED ? `≥ ${value}` : value;
}

const OVERFLOWED = "> 1 h";

function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  return ms >= Number.MAX_VALUE ? OVERFLOWED : formatDuration(ms * NS_PER_MS);
}

/** What the table's signs mean, where they occur. */
function notes({ latency, requests }: RunRecord): string[] {
  const shown = latency.response?.percentiles ?? [];
  const lines: string[] = [];
  const silent = shown.filter(({ status }) => status === "unknown").map(({ p }) => `p${p}`);
  if (silent.length > 0) lines.push(`– ${silent.join(", ")}: fewer than ten samples beyond; a longer run can tell.`);
  if (shown.some(({ status }) => status === "lower-bound")) {
    lines.push("≥ reaches requests that timed out or were cut off: the true value is at least this.");
  }
  if (requests.errors > 0) {
    lines.push("response counts every scheduled request, a failed one as endless; answered only the ok.");
  }
  if (latency.corrected !== null) {
    lines.push("* an estimate of what a schedule would have seen; its n is not a number of requests.");
  }
  return lines.flatMap((line) => wrap(ansis.dim(line), WIDTH, "  "));
}

const SIGNS: Readonly<Record<Finding["severity"], (text: string) => string>> = {
  error: (text) => ansis.red(`✗ ${text}`),
  warning: (text) => ansis.yellow(`! ${text}`),
  info: (text) => ansis.cyan(`· ${text}`),
};

function findings({ verdict }: RunRecord): string[] {
  return verdict.findings.flatMap(({ code, severity, message, advice }) => [
    ...wrap(`${SIGNS[severity](code)}  ${message}`, WIDTH, "  "),
    ...wrap(ansis.dim(advice), WIDTH - 2).map((line) => `  ${line}`),
  ]);
}
