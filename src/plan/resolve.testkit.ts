import { parsed, unparsed } from "../units/parsed.js";
import type { RunFlags } from "./flags.js";
import type { Plan } from "./plan.js";
import { type PlanSurroundings, resolvePlan } from "./resolve.js";

/** A machine without secrets in its environment, on which 1,024 files may be open. */
export const surroundings: PlanSurroundings = {
  environment: {},
  descriptorLimit: 1024,
  freshSeed: 4711,
  ownHosts: ["localhost", "::1", "own.example"],
  parseUrl: (text) => {
    if (!URL.canParse(text)) return unparsed(`"${text}" is no URL`);
    const { href, hostname } = new URL(text);
    return parsed({ href, hostname });
  },
};

/** The plan of flags that are right, against a target on this machine. */
export function planOf(flags: RunFlags = {}, around: Partial<PlanSurroundings> = {}): Plan {
  const resolution = resolvePlan({ url: "http://127.0.0.1:8090/", ...flags }, { ...surroundings, ...around });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution.plan;
}

/** What is said of flags that are wrong. */
export function problemsOf(flags: RunFlags, around: Partial<PlanSurroundings> = {}): readonly string[] {
  const resolution = resolvePlan({ url: "http://127.0.0.1:8090/", ...flags }, { ...surroundings, ...around });
  return resolution.ok ? [] : resolution.problems;
}

/** How a flag names a variable of the environment; spelt out, linters take it for a template gone wrong. */
export const variable = (name: string) => `$\{${name}}`;
