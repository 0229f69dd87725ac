import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";

const FOLDER = new URL("../results/", import.meta.url);

/**
 * A line of the issue's "must hold", measured.
 *
 * @typedef {{ claim: string, measured: string, holds: boolean }} Claim
 *
 * @typedef {object} Results
 * @property {string} name of the bench, and of its files
 * @property {string} about how it was measured, in a sentence or two
 * @property {readonly (readonly string[])[]} table the first row is its head
 * @property {readonly Claim[]} claims
 * @property {unknown} raw everything measured
 */

/** Prints what a bench found, and keeps it in `results/`. A claim that does not hold sets the exit code. @param {Results} results */
export function publish({ name, about, table, claims, raw }) {
  const machine = {
    measuredAt: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    kernel: release(),
    node: process.version,
  };
  const verdicts = claims.map(({ claim, measured, holds }) => [claim, measured, holds ? "holds" : "**does not hold**"]);
  const where = `${machine.measuredAt}; ${machine.cores} cores ${machine.cpu}, Linux ${machine.kernel}, Node ${machine.node}.`;
  const parts = [`# ${name}`, about, where, markdown(table)];
  if (claims.length > 0) parts.push(markdown([["must hold", "measured", ""], ...verdicts]));
  const text = `${parts.join("\n\n")}\n`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL(`${name}.md`, FOLDER), text);
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify({ name, machine, claims, table, raw }, null, 1)}\n`);
  console.log(text);
  if (claims.some(({ holds }) => !holds)) process.exitCode = 1;
}

/** Columns as wide as their widest cell: reads as text too. @param {readonly (readonly string[])[]} rows */
function markdown(rows) {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${widths.map((width, i) => (i === 0 ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(head), rule, ...body.map(line)].join("\n");
}
