import { describe, expect, it } from "vitest";
import { parseAbortCondition, parseHeader, parseStatuses, substitute } from "./flags.js";
import { variable } from "./resolve.testkit.js";

const refused = (problem: RegExp) => ({ ok: false, problem: expect.stringMatching(problem) as string });

describe("parseStatuses", () => {
  it.each([
    ["200", [[200, 200]]],
    ["2xx", [[200, 299]]],
    ["3XX", [[300, 399]]],
    ["200-299", [[200, 299]]],
    ["200, 304 ,4xx", [[200, 200], [304, 304], [400, 499]]], // biome-ignore format: a table
    ["100-599", [[100, 599]]],
  ])("reads %j", (text, ranges) => {
    expect(parseStatuses(text)).toEqual({ ok: true, value: ranges });
  });

  it.each([
    ["", /is not a list of statuses; write it like/],
    ["200,", /is not a list of statuses/],
    ["ok", /is not a list of statuses/],
    ["6xx", /is not a list of statuses/],
    ["20", /is not a list of statuses/],
    ["200-", /is not a list of statuses/],
    ["099", /run from 100 to 599/],
    ["600", /run from 100 to 599/],
    ["500-600", /run from 100 to 599/],
    ["299-200", /299 is above 200; write it like 200-299/],
  ])("refuses %j and says why", (text, problem) => {
    expect(parseStatuses(text)).toEqual(refused(problem));
  });
});

describe("parseAbortCondition", () => {
  it.each([
    ["errors>50%", { metric: "errors", measure: "share", threshold: 0.5 }],
    [" timeouts > 100 ", { metric: "timeouts", measure: "count", threshold: 100 }],
    ["failures>2.5%", { metric: "failures", measure: "share", threshold: 0.025 }],
    ["errors>0", { metric: "errors", measure: "count", threshold: 0 }],
  ])("reads %j", (text, condition) => {
    expect(parseAbortCondition(text)).toEqual({ ok: true, value: condition });
  });

  it.each(["", "errors", "errors>", "errors>101%", "errors<5%", "errors>=5%", "slow>5%", "errors>-1", "errors>5 %"])(
    "refuses %j",
    (text) => {
      expect(parseAbortCondition(text)).toEqual(refused(/is not a condition; write it like 'errors>50%'/));
    },
  );
});

describe("parseHeader", () => {
  it.each([
    ["Accept: text/html", ["Accept", "text/html"]],
    ["Accept:text/html", ["Accept", "text/html"]],
    ["X-Time: 12:30", ["X-Time", "12:30"]],
    ["X-Empty:", ["X-Empty", ""]],
    [`Authorization: Bearer ${variable("TOKEN")}`, ["Authorization", "Bearer s3cr3t"]],
    [`X: ${variable("A")}${variable("A")}-${variable("TOKEN")}`, ["X", "aa-s3cr3t"]],
    [`X: $A $\{} {A}`, ["X", `$A $\{} {A}`]],
  ])("reads %j", (text, header) => {
    expect(parseHeader(text, { TOKEN: "s3cr3t", A: "a" })).toEqual({ ok: true, value: header });
  });

  it.each([
    ["", /is not a header; write it like 'Accept: application\/json'/],
    ["Accept", /is not a header/],
    [": text", /is not a header/],
    ["Two Words: x", /is not a header/],
    [
      `X: ${variable("UNSET")} and ${variable("UNSET")} and ${variable("OTHER")}`,
      /the environment has no variable UNSET, OTHER$/,
    ],
    ["X: a\r\nInjected: b", /header X: a value cannot contain line breaks/],
    [`X: ${variable("BROKEN")}`, /header X: a value cannot contain line breaks/],
  ])("refuses %j and says why", (text, problem) => {
    expect(parseHeader(text, { BROKEN: "a\nb" })).toEqual(refused(problem));
  });

  it("does not repeat what the environment holds when it complains", () => {
    expect(JSON.stringify(parseHeader(`X: ${variable("BROKEN")}`, { BROKEN: "s3cr3t\nb" }))).not.toContain("s3cr3t");
  });
});

describe("substitute", () => {
  it("takes a value as it is, whatever it looks like", () => {
    expect(substitute(`${variable("A")}`, { A: `${variable("B")} $& $1` })).toEqual({
      ok: true,
      value: `${variable("B")} $& $1`,
    });
    expect(substitute(`${variable("EMPTY")}`, { EMPTY: "" })).toEqual({ ok: true, value: "" });
  });
});
