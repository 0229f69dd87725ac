import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tailrace } from "../support/cli.js";

const VERBS = ["run", "serve", "report", "merge", "demo"];

describe("help", () => {
  it.each([[], ["--help"], ["-h"], ["help"], ...VERBS.map((verb) => [verb, "--help"])])(
    "tailrace %s %s is a page for a terminal of 80 columns",
    async (...words) => {
      const { code, stdout, stderr } = await tailrace(words);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: tailrace /);
      expect(stdout.endsWith("\n")).toBe(true);
      expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it("lists every command, and tells how to begin", async () => {
    const { stdout } = await tailrace([]);
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^ {2}${verb} {2,}\\S`, "m"));
    expect(stdout).toContain("$ tailrace run --rate 130 http://127.0.0.1:8090/");
  });

  it("explains the columns and the exit codes of a run, with examples", async () => {
    const { stdout } = await tailrace(["run", "--help"]);
    for (const word of ["Examples:", "response", "service", "send lag", "130"]) expect(stdout).toContain(word);
  });

  it("shows a command's page by either way of asking", async () => {
    expect((await tailrace(["help", "merge"])).stdout).toBe((await tailrace(["merge", "--help"])).stdout);
  });
});

describe("version", () => {
  it.each(["--version", "-V", "version"])("%s prints the package's", async (word) => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await tailrace([word])).toMatchObject({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });
});

describe("a word that is no command", () => {
  it.each([
    ["rnu", 'no command "rnu"; did you mean run?'],
    ["reprt", 'no command "reprt"; did you mean report?'],
    ["frobnicate", 'no command "frobnicate"'],
    ["--rate", "the command is missing; write it like tailrace run http://"],
    ["http://127.0.0.1:8090/", "the command is missing; write it like tailrace run http://"],
  ])("%s: exit 2, and what to write", async (word, said) => {
    const { code, stdout, stderr } = await tailrace([word, "50"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr).toContain("tailrace --help");
  });
});
