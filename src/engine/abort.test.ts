import { describe, expect, it } from "vitest";
import { parseAbortCondition } from "../plan/flags.js";
import { AbortWatch } from "./abort.js";

interface Second {
  readonly ok?: number;
  readonly errors?: number;
  readonly timeouts?: number;
}

/** Looks once a second at what ended in it. @returns the second (from 1) at which the run should end, and why */
function watch(conditions: readonly string[], seconds: readonly Second[]): string {
  const watching = new AbortWatch(
    conditions.map((text) => {
      const condition = parseAbortCondition(text);
      if (!condition.ok) throw new Error(condition.problem);
      return condition.value;
    }),
  );
  let tally = { atMs: 0, ended: 0, errors: 0, timeouts: 0 };
  for (const { ok = 0, errors = 0, timeouts = 0 } of seconds) {
    tally = {
      atMs: tally.atMs + 1000,
      ended: tally.ended + ok + errors + timeouts,
      errors: tally.errors + errors,
      timeouts: tally.timeouts + timeouts,
    };
    const reason = watching.look(tally);
    if (reason !== undefined) return `${tally.atMs / 1000}: ${reason}`;
  }
  return "runs on";
}

const times = (n: number, second: Second) => Array.from({ length: n }, () => second);
const fine = { ok: 50 };
const bad = { errors: 50 };

describe("an abort condition", () => {
  it.each<readonly [string, readonly Second[], string]>([
    ["errors>50%", times(20, fine), "runs on"],
    ["errors>50%", times(20, { ok: 25, errors: 25 }), "runs on"],
    ["errors>50%", [{ ok: 24, errors: 26 }], "1: 52 % errors over the last 1 s, more than 50 %"],
    ["errors>0%", [fine, { ok: 49, errors: 1 }], "2: 1 % errors over the last 2 s, more than 0 %"],
    // Of the last five seconds: after a minute's calm a share of half takes three bad seconds, not a bad minute.
    ["errors>50%", [...times(60, fine), ...times(9, bad)], "63: 60 % errors over the last 5 s, more than 50 %"],
    // And old failures are forgotten.
    ["errors>50%", [...times(2, { errors: 9 }), ...times(60, fine)], "runs on"],
    ["errors>90%", times(9, { timeouts: 50 }), "runs on"],
    ["timeouts>90%", times(9, { timeouts: 50 }), "1: 100 % timeouts over the last 1 s, more than 90 %"],
    ["failures>50%", [{ ok: 40, errors: 30, timeouts: 30 }], "1: 60 % failures over the last 1 s, more than 50 %"],
    // A share of very few says nothing.
    ["errors>50%", [{ errors: 19 }], "runs on"],
    ["errors>50%", [{ errors: 20 }], "1: 100 % errors over the last 1 s, more than 50 %"],
    ["errors>50%", times(20, { errors: 3 }), "runs on"],
    ["errors>50%", times(20, { errors: 4 }), "5: 100 % errors over the last 5 s, more than 50 %"],
    // A count is of the whole run.
    ["errors>10", times(10, { errors: 1 }), "runs on"],
    ["errors>10", times(20, { errors: 1 }), "11: 11 errors, more than 10"],
    ["failures>3", times(20, { errors: 1, timeouts: 1 }), "2: 4 failures, more than 3"],
    ["timeouts>0", [fine, { timeouts: 1 }], "2: 1 timeouts, more than 0"],
    ["errors>50%", [{}, {}], "runs on"],
  ])("%s: %j", (condition, seconds, end) => {
    expect(watch([condition], seconds)).toBe(end);
  });

  it("is one of several, the first to be met", () => {
    expect(watch(["errors>1000", "failures>50%"], [bad])).toBe("1: 100 % failures over the last 1 s, more than 50 %");
    expect(watch([], times(9, bad))).toBe("runs on");
  });
});
