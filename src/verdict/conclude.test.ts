import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Measurement } from "../record/measurement.js";
import { fates, measurementOf, steady, type Told } from "../record/measurement.testkit.js";
import type { Finding, VerdictStatus } from "../record/record.js";
import { type CheckResult, DID_NOT_RUN, NOTHING_FOUND } from "./check.js";
import { CHECKS, conclude, judge } from "./conclude.js";

const clean = measurementOf(steady());
const closed = measurementOf(steady(), { flags: { closed: "4" } });

/** What each check came to: `undefined` where it did not run, `null` where it found nothing. */
function found(measurement: Measurement): Readonly<Record<string, Finding | null | undefined>> {
  const { findings, checks } = judge(measurement);
  return Object.fromEntries(
    checks.map(({ code, ran }) => [
      code,
      ran ? (findings.find((finding) => finding.code === code) ?? null) : undefined,
    ]),
  );
}

const with_ = (changes: Partial<Measurement>): Measurement => ({ ...clean, ...changes });

describe("a clean measurement", () => {
  it("is valid: every check that could run has passed, and none has anything to say", () => {
    expect(judge(clean)).toEqual({
      status: "valid",
      findings: [],
      checks: [
        { code: "accounting", ran: true, passed: true },
        { code: "little", ran: true, passed: true },
        { code: "cut-short", ran: true, passed: true },
        { code: "limits", ran: true, passed: true },
        { code: "rate-short", ran: true, passed: true },
        { code: "client-queueing", ran: true, passed: true },
        { code: "closed-loop", ran: true, passed: true },
      ],
    });
  });

  it("balances whatever happened to its requests, if it was counted honestly", () => {
    fc.assert(
      fc.property(fates, fc.constantFrom("0", "300ms"), (requests, warmup) => {
        const { accounting, little } = found(measurementOf(requests, { flags: { warmup } }));
        expect(accounting).toBeNull();
        const anyFailed = requests.some(({ outcome }) => outcome === "errors");
        const someMeasured = requests.some(({ intendedMs }) => intendedMs >= (warmup === "0" ? 0 : 300));
        expect(little).toBe(anyFailed || !someMeasured ? undefined : null);
      }),
    );
  });
});

describe("accounting", () => {
  const mixed: Told[] = steady().map((told, i) => {
    if (i % 10 === 0) return { ...told, outcome: "errors", kind: i % 20 === 0 ? "status" : "reset" };
    if (i % 10 === 1) return { ...told, outcome: "timeouts", sentMs: i % 20 === 1 ? null : told.sentMs };
    if (i % 10 === 2) return { ...told, outcome: "unfinished", sentMs: null };
    return told;
  });
  const honest = measurementOf(mixed, { flags: { warmup: "200ms" } });
  const { requests, warmup, windows, clocks, outcomes } = honest;
  const window = windows.findIndex(({ warmup, requests }) => !warmup && requests.scheduled > 0);
  const inWindow = (
    change: (old: Measurement["windows"][number]) => Partial<Measurement["windows"][number]>,
    at = window,
  ) =>
    ({
      windows: windows.map((old, i) => (i === at ? { ...old, ...change(old) } : old)),
    }) satisfies Partial<Measurement>;
  const recount = (name: "scheduled" | "ok" | "errors" | "timeouts" | "unfinished" | "sent", at?: number) =>
    inWindow(({ requests }) => ({ requests: { ...requests, [name]: requests[name] + 1 } }), at);

  it("is silent where all is counted", () => {
    expect(found(honest).accounting).toBeNull();
  });

  it.each<readonly [string, Partial<Measurement>]>([
    [
      "a request without an outcome",
      { requests: { ...requests, scheduled: requests.scheduled + 1, unsent: requests.unsent + 1 } },
    ],
    ["a request with two outcomes", { requests: { ...requests, timeouts: requests.timeouts + 1 } }],
    ["one neither sent nor unsent", { requests: { ...requests, sent: requests.sent - 1 } }],
    ["one unsent without a reason", { requests: { ...requests, unsentBy: { timeout: requests.unsent - 1 } } }],
    ["a warm-up's request without an outcome", { warmup: { ...warmup!, ok: warmup!.ok - 1 } }],
    ["a warm-up's request neither sent nor unsent", { warmup: { ...warmup!, sent: warmup!.sent + 1 } }],
    ["no warm-up where windows have one", { warmup: null }],
    ["an error without a kind", { outcomes: { ...outcomes, byError: { reset: outcomes.byError.reset! } } }],
    ["an answer without a status", { outcomes: { ...outcomes, byStatus: { "200": outcomes.byStatus["200"]! } } }],
    ["a window's scheduled", recount("scheduled")],
    ["a window's ok", recount("ok")],
    ["a window's errors", recount("errors")],
    ["a window's timeouts", recount("timeouts")],
    ["a window's unfinished", recount("unfinished")],
    ["a window's sent", recount("sent")],
    ["a window of the warm-up", recount("ok", 0)],
    [
      "a window's response times",
      inWindow(({ response }) => ({ response: { ...response, failed: response.failed + 1 } })),
    ],
    ["a window's service times", inWindow(({ service }) => ({ service: { ...service, failed: service.failed + 1 } }))],
    ["a window that is missing", { windows: windows.filter((_, i) => i !== window) }],
    ["a window twice", { windows: [...windows, windows[window]!] }],
    ["a warm-up's window taken for a measured one", inWindow(() => ({ warmup: false }), 0)],
    ["response times that are missing", { clocks: { ...clocks, response: { ...clocks.response!, failed: 0 } } }],
    ["no response clock at all", { clocks: { service: clocks.service!, answered: clocks.answered! } }],
    ["answered times that are too many", { clocks: { ...clocks, answered: clocks.response! } }],
    ["service times that are missing", { clocks: { ...clocks, service: clocks.answered! } }],
  ])("sees %s", (_, lie) => {
    const { accounting } = found({ ...honest, ...lie });
    expect(accounting?.severity).toBe("error");
    expect(accounting?.message).toMatch(/^the books do not balance: .* \(\d+ against \d+\)$/);
    expect(judge({ ...honest, ...lie }).status).toBe("invalid");
  });

  it("asks of a run that lost a worker only what can still hold", () => {
    const ended = { how: "worker-lost", reason: "it crashed" } as const;
    expect(found({ ...honest, ended, windows: [] }).accounting).toBeNull();
    expect(found({ ...honest, ended, requests: { ...requests, ok: requests.ok + 1 } }).accounting).not.toBeNull();
  });
});

describe("little", () => {
  const { inFlightMs } = clean;

  it.each([0.9, 0.99, 1.01, 1.1])("sees a number in flight that is %d of what the clocks say", (factor) => {
    const { little } = found(with_({ inFlightMs: inFlightMs! * factor }));
    expect(little?.severity).toBe("error");
    expect(little?.message).toMatch(
      /counts and clocks disagree: response times add up to \d+\.\d ms, .* to \d+\.\d ms/,
    );
    expect(judge(with_({ inFlightMs: inFlightMs! * factor })).status).toBe("invalid");
  });

  it("lets pass what the histograms' three digits explain", () => {
    expect(found(with_({ inFlightMs: inFlightMs! * 1.001 })).little).toBeNull();
  });

  it("counts the warm-up, and the censored at their bounds", () => {
    const requests = steady().map((told, i): Told => (i % 3 === 0 ? { ...told, outcome: "timeouts" } : told));
    const all = measurementOf(requests, { flags: { warmup: "300ms" } });
    expect(found(all).little).toBeNull();
    expect(found({ ...all, windows: all.windows.filter(({ warmup }) => !warmup) }).little).not.toBeNull();
  });

  it("does not run, and so has not passed, where it cannot", () => {
    const failed = measurementOf(steady().map((told, i) => (i === 0 ? { ...told, outcome: "errors" } : told)));
    const warmFailed = measurementOf(
      steady().map((told, i) => (i === 0 ? { ...told, outcome: "errors" } : told)),
      { flags: { warmup: "200ms" } },
    );
    for (const one of [failed, warmFailed, with_({ inFlightMs: null }), measurementOf([])]) {
      expect(judge(one).checks).toContainEqual({ code: "little", ran: false, passed: null });
    }
  });
});

describe("cut-short", () => {
  it.each<readonly [Measurement["ended"], RegExp, Finding["severity"], VerdictStatus]>([
    [{ how: "interrupted" }, /^interrupted after 1\.0 s$/, "warning", "valid"],
    [{ how: "aborted", reason: "60 % errors" }, /^aborted after 1\.0 s: 60 % errors$/, "warning", "valid"],
    [{ how: "worker-lost", reason: "exit 1" }, /^a worker was lost after 1\.0 s: exit 1$/, "error", "invalid"],
  ])("sees %j", (ended, message, severity, status) => {
    expect(found(with_({ ended }))["cut-short"]).toMatchObject({ severity, message: expect.stringMatching(message) });
    expect(judge(with_({ ended })).status).toBe(status);
  });

  it("says how many were still out", () => {
    const cut = measurementOf(
      steady().map((told, i): Told => (i > 96 ? { ...told, outcome: "unfinished" } : told)),
      { ended: { how: "interrupted" } },
    );
    expect(found(cut)["cut-short"]?.message).toBe(
      "interrupted after 1.0 s; 3 requests were still out and count as lower bounds",
    );
  });
});

describe("limits", () => {
  it("says each one that was met, and that the run is the generator's", () => {
    const limits = ["local ports: none left", "descriptor limit: 1024"];
    const met = with_({ generator: { ...clean.generator, limits } });
    expect(found(met).limits?.message).toBe("local ports: none left; descriptor limit: 1024");
    expect(judge(met).status).toBe("generator-bound");
  });

  it("counts requests held back as one", () => {
    const held = {
      ...measurementOf(steady(), { flags: { maxInFlight: "4" } }),
      generator: { ...clean.generator, heldBack: 7 },
    };
    expect(found(held).limits?.message).toBe("7 requests were held back because 4 were in flight (--max-in-flight)");
    expect(judge(held).status).toBe("generator-bound");
  });
});

describe("rate-short", () => {
  const large = measurementOf(steady(10_000));
  const short = (sentVsScheduled: number, unsentBy: Readonly<Record<string, number>> = {}) => ({
    ...large,
    rate: { ...large.rate, achievedPerS: 50 * sentVsScheduled, sentVsScheduled },
    requests: { ...large.requests, unsentBy },
  });

  it.each([0.99, 0.9, 0.1, 0])("sees that only %d of what was due went out", (share) => {
    const finding = found(short(share))["rate-short"];
    expect(finding).toMatchObject({ severity: "warning", evidence: { sentVsScheduled: share } });
    expect(finding?.message).toContain(`${(share * 100).toFixed(1)} % of what was due by the end`);
  });

  it.each([1, 0.999, 0.996])("lets %d pass", (share) => {
    expect(found(short(share))["rate-short"]).toBeNull();
  });

  it("makes the run the generator's", () => {
    expect(judge(measurementOf(steady(10_000), { rate: short(0.9).rate })).status).toBe("generator-bound");
  });

  it("asks for more than a few late ones at the end of a small run", () => {
    const few = (count: number) => with_({ rate: { ...clean.rate, sentVsScheduled: 1 - count / 100 } });
    expect(found(few(4))["rate-short"]).toBeNull();
    expect(found(few(6))["rate-short"]).not.toBeNull();
  });

  it("does not blame the generator for what the target refused", () => {
    expect(found(short(0.9, { refused: 900, reset: 100 }))["rate-short"]).toBeNull();
    expect(found(short(0.9, { timeout: 900, "cut-off": 100 }))["rate-short"]).not.toBeNull();
    expect(found(short(0.9, { refused: 800 }))["rate-short"]).not.toBeNull();
  });

  it("does not run without a rate, or without requests", () => {
    expect(found(closed)["rate-short"]).toBeUndefined();
    expect(found(measurementOf([]))["rate-short"]).toBeUndefined();
  });
});

describe("client-queueing", () => {
  /** Two of a hundred waited so long for a connection; the others took 5 to 6 ms. */
  const waited = (queueMs: number, rest: Partial<Told> = {}) =>
    steady().map(
      (told, i): Told =>
        i % 50 === 1
          ? { ...told, queueMs, sentMs: told.sentMs! + queueMs, endMs: told.endMs + queueMs, outcome: "ok" }
          : { ...told, ...(i % 10 === 0 ? rest : {}) },
    );

  it.each([
    [
      { connections: "4" },
      0,
      /waited for the pool of 4 connections: .* waiting 50\.\d ms, response 5\d\.\d ms, service \d\.\d+ ms$/,
    ],
    [{ maxInFlight: "9" }, 3, /waited for the limit of 9 in flight: /],
    [{}, 0, /waited for a connection: /],
  ])("sees that requests waited: %j", (flags, heldBack, message) => {
    const generator = { ...clean.generator, heldBack };
    const finding = found(measurementOf(waited(50), { flags, generator }))["client-queueing"];
    expect(finding).toMatchObject({ severity: "warning", message: expect.stringMatching(message) });
  });

  it("lets short waits pass", () => {
    expect(found(measurementOf(waited(0.9)))["client-queueing"]).toBeNull();
    const slow = waited(2).map((told) => ({ ...told, endMs: told.endMs + 100 }));
    expect(found(measurementOf(slow))["client-queueing"]).toBeNull();
  });

  it("sees it through failures and timeouts, which have no finite p99", () => {
    for (const outcome of ["errors", "timeouts"] as const) {
      const finding = found(measurementOf(waited(50, { outcome })))["client-queueing"];
      expect(finding).not.toBeNull();
      for (const value of Object.values(finding!.evidence)) expect(Number.isFinite(value)).toBe(true);
    }
  });

  it("does not run where nothing was answered", () => {
    const none = steady().map((told): Told => ({ ...told, outcome: "errors" }));
    expect(found(measurementOf(none))["client-queueing"]).toBeUndefined();
  });
});

describe("closed-loop", () => {
  it("says of every closed loop whose percentiles these are, and it stays valid", () => {
    expect(found(closed)["closed-loop"]).toMatchObject({ severity: "info", evidence: { users: 4 } });
    expect(judge(closed).status).toBe("valid");
    expect(judge(closed).checks).toContainEqual({ code: "closed-loop", ran: true, passed: true });
  });

  it("explains the corrected column where there is one", () => {
    const corrected = { ...closed, clocks: { ...closed.clocks, corrected: closed.clocks.response! } };
    expect(found(corrected)["closed-loop"]?.message).toContain("its count is not a number of requests");
    expect(found(closed)["closed-loop"]?.message).not.toContain("corrected");
  });
});

describe("judge", () => {
  const finding = (severity: Finding["severity"]) => ({ severity, message: "", evidence: {}, advice: "" });
  const saying = (code: string, result: CheckResult) => ({ code, run: () => result });
  const giving = (status: Exclude<VerdictStatus, "valid">) =>
    saying(status, { ran: true, found: finding("warning"), status });

  it("gives the worst status any check gave", () => {
    const worstFirst = ["invalid", "generator-bound", "past-capacity", "too-few-samples"] as const;
    for (const [i, worst] of worstFirst.entries()) {
      const checks = worstFirst.slice(i).map(giving);
      expect(judge(clean, checks).status).toBe(worst);
      expect(judge(clean, checks.toReversed()).status).toBe(worst);
    }
    expect(judge(clean, [saying("x", { ran: true, found: finding("error") })]).status).toBe("valid");
    expect(judge(clean, []).status).toBe("valid");
  });

  it("says the worst findings first, those alike in the checks' order", () => {
    const checks = (["info", "warning", "error", "warning"] as const).map((severity, i) =>
      saying(`${severity}-${i}`, { ran: true, found: finding(severity) }),
    );
    expect(judge(clean, checks).findings.map(({ code }) => code)).toEqual([
      "error-2",
      "warning-1",
      "warning-3",
      "info-0",
    ]);
  });

  it("has no check passed that did not run", () => {
    const checks = [
      saying("silent", NOTHING_FOUND),
      saying("absent", DID_NOT_RUN),
      saying("warns", { ran: true, found: finding("warning") }),
      saying("errs", { ran: true, found: finding("error") }),
      saying("tells", { ran: true, found: finding("info") }),
    ];
    expect(judge(clean, checks).checks).toEqual([
      { code: "silent", ran: true, passed: true },
      { code: "absent", ran: false, passed: null },
      { code: "warns", ran: true, passed: false },
      { code: "errs", ran: true, passed: false },
      { code: "tells", ran: true, passed: true },
    ]);
  });

  it("names each check once", () => {
    expect(new Set(CHECKS.map(({ code }) => code)).size).toBe(CHECKS.length);
  });

  it("is what a record concludes with", () => {
    expect(conclude(closed).verdict).toEqual(judge(closed));
  });
});
