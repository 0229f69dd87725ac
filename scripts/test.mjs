// Runs every test, after installing the system programs some of them need where that can be done (root on Debian). Further
// arguments go to vitest. The counts printed last are the runner's own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Program, the Debian package it comes from, and what is tested with it. */
const PROGRAMS = [
  ["ip", "iproute2", "running out of local ports, in a network of its own"],
  ["openssl", "openssl", "certificates"],
];

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
const missing = PROGRAMS.filter(([program]) => !has(program));
if (missing.length > 0 && process.getuid?.() === 0 && has("apt-get")) {
  const packages = missing.map(([, name]) => name);
  console.log(`installing ${packages.join(", ")}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit", env: environment });
  spawnSync("apt-get", ["install", "-y", "-qq", ...packages], { stdio: "inherit", env: environment });
}
for (const [program, name, what] of PROGRAMS) {
  if (!has(program)) console.log(`${program} (package ${name}) is missing: the tests of ${what} cannot run`);
}

const folder = mkdtempSync(join(tmpdir(), "tailrace-tests-"));
const reportFile = join(folder, "report.json");
const vitest = ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
const result = spawnSync("npx", [...vitest, ...process.argv.slice(2)], { stdio: "inherit" });
let failed = result.status ?? 1;
try {
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  if (!report.success && failed === 0) failed = 1;
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`);
} catch (error) {
  console.log(`the test runner left no report: ${error.message}`);
  failed ||= 1;
}
rmSync(folder, { recursive: true });
process.exit(failed);
