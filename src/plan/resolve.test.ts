import { describe, expect, it } from "vitest";
import type { RunFlags } from "./flags.js";
import { resolvePlan } from "./resolve.js";
import { planOf, problemsOf, surroundings, variable } from "./resolve.testkit.js";

describe("a plan", () => {
  it("of an address alone is 50/s at random intervals for 30 s", () => {
    expect(planOf()).toEqual({
      request: {
        method: "GET",
        url: "http://127.0.0.1:8090/",
        headers: [],
        body: null,
        expectStatus: [[200, 399]],
        keepAlive: true,
        user: null,
        unixSocket: null,
        resolve: [],
        family: null,
        tls: { verify: true, ca: null, cert: null, key: null, servername: null },
      },
      load: { kind: "open", arrivals: "poisson", ratePerS: 50 },
      durationMs: 30_000,
      requests: null,
      warmupMs: 0,
      timeoutMs: 10_000,
      connections: null,
      maxInFlight: 1024 - 128,
      threads: 1,
      pacing: "auto",
      seed: 4711,
      tags: {},
      abortOn: [],
    });
  });

  it.each<readonly [RunFlags, object]>([
    [{ rate: "2k" }, { load: { kind: "open", arrivals: "poisson", ratePerS: 2000 } }],
    [{ arrivals: "constant" }, { load: { kind: "open", arrivals: "constant", ratePerS: 50 } }],
    [
      { closed: "16" },
      { load: { kind: "closed", users: 16, thinkMs: 0, expectedIntervalMs: null }, durationMs: 30_000 },
    ],
    [
      { closed: "1", think: "1.5ms", expectedInterval: "5ms" },
      { load: { kind: "closed", users: 1, thinkMs: 1.5, expectedIntervalMs: 5 } },
    ],
    [{ requests: "10k" }, { requests: 10_000, durationMs: null }],
    [
      { requests: "10k", duration: "1m" },
      { requests: 10_000, durationMs: 60_000 },
    ],
    [{ warmup: "10s" }, { warmupMs: 10_000, durationMs: 40_000 }],
    [
      { warmup: "10s", duration: "15s" },
      { warmupMs: 10_000, durationMs: 15_000 },
    ],
    [
      { warmup: "10s", requests: "1000" },
      { warmupMs: 10_000, durationMs: null },
    ],
    [{ timeout: "0" }, { timeoutMs: null }],
    [{ connections: "64" }, { connections: 64, maxInFlight: 1_000_000 }],
    [
      { connections: "64", maxInFlight: "100" },
      { connections: 64, maxInFlight: 100 },
    ],
    [
      { threads: "2", pacing: "spin", seed: "7" },
      { threads: 2, pacing: "spin", seed: 7 },
    ],
    [{ tag: ["version=1.4=2", "empty="] }, { tags: { version: "1.4=2", empty: "" } }],
    [
      { abortOn: ["errors>5%", "timeouts>9"] },
      {
        abortOn: [
          { metric: "errors", measure: "share", threshold: 0.05 },
          { metric: "timeouts", measure: "count", threshold: 9 },
        ],
      },
    ],
  ])("of %j", (flags, expected) => {
    expect(planOf(flags)).toMatchObject(expected);
  });

  it.each<readonly [RunFlags, object]>([
    [{ method: "patch" }, { method: "PATCH" }],
    [{ body: new Uint8Array(2) }, { method: "POST", body: new Uint8Array(2) }],
    [
      { body: new Uint8Array(0), method: "PUT" },
      { method: "PUT", body: new Uint8Array(0) },
    ],
    [{ header: ["A: 1", "a: 2"] }, { headers: [["A", "1"], ["a", "2"]] }], // biome-ignore format: a table
    [{ expectStatus: "2xx,404" }, { expectStatus: [[200, 299], [404, 404]] }], // biome-ignore format: a table
    [{ keepalive: false }, { keepAlive: false }],
    [{ user: `me:${variable("PASSWORD")}` }, { user: "me:s3cr3t" }],
    [{ unixSocket: "/run/app.sock" }, { unixSocket: "/run/app.sock" }],
    [
      { resolve: ["example.com:443:127.0.0.1", "a:80:[::1]"] },
      { resolve: ["example.com:443:127.0.0.1", "a:80:[::1]"] },
    ],
    [{ ipv4: true }, { family: 4 }],
    [{ ipv6: true }, { family: 6 }],
    [{ insecure: true, ca: "CA", servername: "other" }, { tls: { verify: false, ca: "CA", servername: "other" } }],
    [{ cert: "CERT", key: "KEY" }, { tls: { cert: "CERT", key: "KEY" } }],
    [{ cert: "CERT and PRIVATE KEY" }, { tls: { cert: "CERT and PRIVATE KEY", key: null } }],
  ])("asks for what %j says", (flags, request) => {
    expect(planOf(flags, { environment: { PASSWORD: "s3cr3t" } }).request).toMatchObject(request);
  });

  it("describes a body that nobody described as curl does", () => {
    const typed = { header: ["content-type: text/plain"], body: new Uint8Array(1) };
    expect(planOf({ body: new Uint8Array(1) }).request.headers).toEqual([
      ["Content-Type", "application/x-www-form-urlencoded"],
    ]);
    expect(planOf(typed).request.headers).toEqual([["content-type", "text/plain"]]);
  });
});

describe("flags that are wrong", () => {
  it.each<readonly [RunFlags, RegExp]>([
    [{ url: "here" }, /^URL: "here" is no URL$/],
    [{ rate: "-5" }, /^--rate: "-5" is not above zero/],
    [{ arrivals: "bursty" }, /^--arrivals: "bursty" is not one of poisson, constant$/],
    [{ duration: "30" }, /^--duration: "30" has no unit/],
    [{ duration: "0" }, /^--duration: 0 would send nothing/],
    [{ requests: "0" }, /^--requests: "0" is not a whole number of at least 1$/],
    [{ requests: "1.5" }, /^--requests:/],
    [{ warmup: "30s", duration: "30s" }, /^--warmup: leaves nothing of the 30 s to measure; make --duration longer$/],
    [
      { warmup: "1s", requests: "50" },
      /^--warmup: all 50 requests would fall into its 1 s; give more --requests, or a/,
    ],
    [{ warmup: "soon" }, /^--warmup: "soon" is not a duration/],
    [{ timeout: "-1s" }, /^--timeout: "-1s" is negative/],
    [{ closed: "0" }, /^--closed: "0" is not a whole number from 1 to 100000$/],
    [{ think: "5ms" }, /^--think belongs to a closed loop; add --closed N, or leave it out$/],
    [{ expectedInterval: "5ms" }, /^--expected-interval belongs to a closed loop/],
    [
      { closed: "4", rate: "50" },
      /^--rate with --closed: .* give --rate for an open loop or --closed N for a closed one$/,
    ],
    [{ closed: "4", arrivals: "constant" }, /^--arrivals with --closed: /],
    [{ connections: "0" }, /^--connections:/],
    [{ connections: "897" }, /^--connections: 897 connections need more than the 1024 descriptors .* at most 896$/],
    [{ closed: "897" }, /^--closed: 897 connections need more than the 1024 descriptors/],
    [{ maxInFlight: "0" }, /^--max-in-flight: "0" is not a whole number from 1 to 1000000$/],
    [{ threads: "0" }, /^--threads: "0" is not a whole number from 1 to 256$/],
    [{ threads: "2", connections: "1" }, /^--threads: 2 threads cannot share --connections 1; use at most 1 thread$/],
    [{ threads: "4", closed: "3" }, /^--threads: 4 threads cannot share --closed 3; use at most 3 threads$/],
    [
      { threads: "4", maxInFlight: "3" },
      /^--threads: 4 threads cannot share --max-in-flight 3; use at most 3 threads$/,
    ],
    [{ pacing: "fast" }, /^--pacing: "fast" is not one of auto, spin, sleep$/],
    [{ seed: "-1" }, /^--seed:/],
    [{ method: "GE T" }, /^-X: "GE T" is not a method/],
    [{ method: "connect" }, /^-X: CONNECT opens a tunnel/],
    [{ header: ["NoColon"] }, /^-H: "NoColon" is not a header/],
    [{ user: `me:${variable("UNSET")}` }, /^-u: the environment has no variable UNSET$/],
    [{ expectStatus: "ok" }, /^--expect-status:/],
    [{ resolve: ["example.com:443"] }, /^--resolve: .* write it like example.com:443:127.0.0.1$/],
    [{ ipv4: true, ipv6: true }, /^-4 and -6 exclude each other/],
    [{ cert: "CERT" }, /^--cert: a client certificate needs its key; add --key FILE$/],
    [{ key: "KEY" }, /^--key: belongs to a client certificate; add --cert FILE$/],
    [{ tag: ["nightly"] }, /^--tag: "nightly" is not a tag; write it like --tag version=1.4.2$/],
    [{ tag: ["a b=c"] }, /^--tag:/],
    [{ abortOn: ["slow>5%"] }, /^--abort-on:/],
  ])("%j: one problem, in plain words", (flags, problem) => {
    expect(problemsOf(flags)).toEqual([expect.stringMatching(problem)]);
  });

  it("are all reported at once", () => {
    const problems = resolvePlan(
      {
        rate: "fast",
        closed: "none",
        think: "x",
        duration: "30",
        requests: "many",
        threads: "9999",
        header: ["A", "B", "ok: 1"],
        tag: ["x"],
        abortOn: ["y"],
        pacing: "z",
        seed: "s",
        ipv4: true,
        ipv6: true,
      },
      surroundings,
    );
    if (problems.ok) throw new Error("not refused");
    const said = problems.problems.map((problem) => problem.split(/[ :]/)[0] ?? "");
    const all =
      "-4 -H -H --abort-on --closed --duration --pacing --rate --rate --requests --seed --tag --think --threads URL";
    const alphabetically = (a: string, b: string) => a.localeCompare(b);
    expect(said.toSorted(alphabetically)).toEqual(all.split(" ").toSorted(alphabetically));
  });

  it("do not bring others with them: what is wrong is not weighed against the rest", () => {
    expect(problemsOf({ closed: "none", threads: "4" })).toHaveLength(1);
    expect(problemsOf({ connections: "none", threads: "4" })).toHaveLength(1);
    expect(problemsOf({ duration: "none", warmup: "1h" })).toHaveLength(1);
  });
});

describe("a rate above 1,000/s", () => {
  it.each([
    ["http://192.0.2.1/", false],
    ["http://example.com/", false],
    ["http://127.evil.example/", false],
    ["http://127.0.0.1:8090/", true],
    ["http://127.8.8.8/", true],
    ["http://localhost/", true],
    ["http://LOCALHOST/", true],
    ["http://[::1]:80/", true],
    ["http://own.example/", true],
  ])("against %s needs no --yes: %s", (url, own) => {
    expect(problemsOf({ url, rate: "1001" })).toHaveLength(own ? 0 : 1);
    expect(problemsOf({ url, rate: "1000" })).toEqual([]);
    expect(problemsOf({ url, rate: "1001", yes: true })).toEqual([]);
    expect(problemsOf({ url, rate: "1001", unixSocket: "/run/app.sock" })).toEqual([]);
    expect(problemsOf({ url, closed: "100" })).toEqual([]);
  });

  it("says which machine, and what to do", () => {
    expect(problemsOf({ url: "http://192.0.2.1/", rate: "2k" })).toEqual([
      "--rate: 2,000/s against 192.0.2.1, which is not this machine; if you may load it so, add --yes",
    ]);
  });
});
