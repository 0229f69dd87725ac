import { describe, expect, it } from "vitest";
import { type EndpointSpec, type Lookup, parseResolve, parseTarget, resolveEndpoint } from "./endpoint.js";
import { pem } from "./http1/peer.testkit.js";

const V4 = { address: "192.0.2.7", family: 4 };
const V6 = { address: "2001:db8::7", family: 6 };
const knows =
  (...addresses: (typeof V4)[]): Lookup =>
  async () =>
    addresses;
const fails =
  (code: string): Lookup =>
  async () => {
    throw Object.assign(new Error("lookup"), { code });
  };
const never: Lookup = () => {
  throw new Error("looked up what needed no lookup");
};
const resolve = (url: string, more: Omit<EndpointSpec, "url"> = {}, lookUp: Lookup = never) =>
  resolveEndpoint({ url: new URL(url), ...more }, lookUp);

describe("parseTarget", () => {
  it.each([
    ["localhost:8080/x", /no scheme; write http:\/\/localhost:8080\/x/],
    ["example.com", /no scheme/],
    ["ftp://example.com", /neither http:\/\/ nor https:\/\//],
    ["http://", /not a URL/],
    ["http://a:99999/", /not a URL/],
  ])("refuses %s", (text, problem) => {
    expect(parseTarget(text)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });
  it("takes http and https", () => {
    expect(parseTarget(" HTTPS://Example.com/a ")).toMatchObject({
      ok: true,
      value: { href: "https://example.com/a" },
    });
  });
});

describe("parseResolve", () => {
  it.each([
    ["Example.com:443:127.0.0.1", { host: "example.com", port: 443, address: "127.0.0.1" }],
    ["example.com:80:[::1]", { host: "example.com", port: 80, address: "::1" }],
    ["[::1]:80:127.0.0.1", { host: "::1", port: 80, address: "127.0.0.1" }],
  ])("reads %s", (text, value) => {
    expect(parseResolve(text)).toEqual({ ok: true, value });
  });
  it.each(["example.com:443", "example.com:0:127.0.0.1", "example.com:70000:127.0.0.1", "a:1:b", ":80:127.0.0.1"])(
    "refuses %s",
    (text) => {
      expect(parseResolve(text)).toMatchObject({ ok: false, problem: expect.stringContaining("host:port:address") });
    },
  );
});

describe("resolveEndpoint", () => {
  it.each([
    ["http://127.0.0.1/", {}, { host: "127.0.0.1", port: 80, address: "127.0.0.1", family: 4 }],
    ["http://[::1]:81/", {}, { host: "::1", port: 81, address: "::1", family: 6 }],
    [
      "http://x.test/",
      { socketPath: "/tmp/s" },
      { host: "x.test", port: 80, address: "", family: 4, socketPath: "/tmp/s" },
    ],
    [
      "http://x.test:81/",
      {
        resolve: [
          { host: "x.test", port: 80, address: "10.0.0.1" },
          { host: "x.test", port: 81, address: "::2" },
        ],
      },
      { host: "x.test", port: 81, address: "::2", family: 6 },
    ],
  ])("needs no lookup for %s %j", async (url, more, value) => {
    expect(await resolve(url, more)).toEqual({ ok: true, value });
  });

  it("speaks TLS to https, verifying the name unless told otherwise", async () => {
    expect(await resolve("https://127.0.0.1/", {})).toMatchObject({
      value: { port: 443, tls: { servername: "127.0.0.1", verify: true } },
    });
    const tls = {
      servername: "sni.test",
      verify: false,
      ca: pem("ca.crt"),
      cert: pem("client.crt"),
      key: pem("client.key"),
    };
    expect(await resolve("https://127.0.0.1/", { tls })).toMatchObject({ value: { tls } });
  });

  it.each([
    ["x.test", undefined, [V6, V4], "2001:db8::7"],
    ["x.test", 4, [V6, V4], "192.0.2.7"],
    ["x.test", 6, [V4, V6], "2001:db8::7"],
    ["localhost", undefined, [V6, V4], "192.0.2.7"],
    ["localhost", undefined, [V6], "2001:db8::7"],
    ["localhost", 6, [V4, V6], "2001:db8::7"],
  ] as const)("dials for %s, family %s, of %j: %s", async (host, family, addresses, address) => {
    const found = await resolve(`http://${host}/`, family === undefined ? {} : { family }, knows(...addresses));
    expect(found).toMatchObject({ ok: true, value: { address } });
  });

  it.each<[string, Omit<EndpointSpec, "url">, Lookup, RegExp]>([
    ["http://x.test/", {}, fails("ENOTFOUND"), /^the host name x.test is unknown$/],
    ["http://x.test/", {}, fails("EAI_AGAIN"), /name server does not answer/],
    ["http://x.test/", { family: 6 }, knows(V4), /x.test has no IPv6 address/],
    ["http://127.0.0.1/", { family: 6 }, never, /-6 asks for IPv6/],
    ["http://x.test/", { socketPath: "x".repeat(200) }, never, /unix socket is longer/],
    ["https://127.0.0.1/", { tls: { cert: pem("client.crt") } }, never, /needs its key/],
    ["https://127.0.0.1/", { tls: { key: pem("client.key") } }, never, /needs its certificate/],
    ["https://127.0.0.1/", { tls: { ca: "no PEM" } }, never, /CA file holds no certificate/],
    ["https://127.0.0.1/", { tls: { cert: pem("client.crt"), key: pem("server.key") } }, never, /cannot be used/],
  ])("refuses %s %j", async (url, more, lookUp, problem) => {
    const found = await resolve(url, more, lookUp);
    expect(found).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });

  it("asks the system for localhost", async () => {
    expect(await resolveEndpoint({ url: new URL("http://localhost:1/") })).toMatchObject({
      ok: true,
      value: { host: "localhost", port: 1 },
    });
  });
});
