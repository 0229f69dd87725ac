import { describe, expect, it } from "vitest";
import { recordPlan, redactHeader, redactUrl } from "./redact.js";
import { resolvePlan } from "./resolve.js";
import { surroundings, variable } from "./resolve.testkit.js";

describe("redactHeader", () => {
  it.each([
    "authorization",
    "Authorization",
    "Proxy-Authorization",
    "cookie",
    "Set-Cookie",
    "X-Api-Key",
    "apikey",
    "api_key",
    "Idempotency-Key",
    "X-Auth",
    "X-Auth-Token",
    "token",
    "X-Amz-Security-Token",
    "Client-Secret",
    "X-Password",
    "X-Session-Id",
    "X-Hub-Signature",
    " authorization ",
  ])("hides the value of %s", (name) => {
    expect(redactHeader(name, "s3cr3t")).toBe("[redacted]");
  });

  it.each([
    "Accept",
    "Content-Type",
    "Host",
    "User-Agent",
    "Monkey",
    "X-Author",
    "X-Keyboard",
    "Cookie-Policy",
    "Tokens",
  ])("shows that of %s", (name) => {
    expect(redactHeader(name, "shown")).toBe("shown");
  });
});

describe("redactUrl", () => {
  it.each([
    ["http://host/", "http://host/"],
    ["http://user:s3cr3t@host:80/p", "http://[redacted]@host:80/p"],
    ["http://s3cr3t@host", "http://[redacted]@host"],
    ["http://user:s3@cr3t@host/", "http://[redacted]@host/"],
    ["http://host/a@b", "http://host/a@b"],
    ["http://host/?mail=a@b", "http://host/?mail=a@b"],
    ["http://host/?id=7&page=2", "http://host/?id=7&page=2"],
    ["http://host/?token=s3cr3t", "http://host/?token=[redacted]"],
    ["http://host/?id=7&API_KEY=s3cr3t&page=2", "http://host/?id=7&API_KEY=[redacted]&page=2"],
    ["http://host/?access_token=s3cr3t&sig=s3cr3t#top", "http://host/?access_token=[redacted]&sig=[redacted]#top"],
    [
      "http://host/?X-Amz-Signature=s3cr3t&password=s3cr3t",
      "http://host/?X-Amz-Signature=[redacted]&password=[redacted]",
    ],
    ["http://host/?pwd=s3?cr3t=s3cr3t", "http://host/?pwd=[redacted]"],
    ["http://host/?token=", "http://host/?token=[redacted]"],
    ["http://host/?token", "http://host/?token"],
    ["http://host/?next=/login?token=s3cr3t&id=7", "http://host/?next=/login?token=[redacted]&id=7"],
    ["http://host/#token=s3cr3t", "http://host/#token=[redacted]"],
    ["http://host/token=shown/", "http://host/token=shown/"],
    ["/next?token=s3cr3t", "/next?token=[redacted]"],
  ])("makes of %s %s", (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});

describe("recordPlan", () => {
  const secrets = {
    url: "http://someone:s3cr3t@127.0.0.1/p?token=s3cr3t&id=7",
    header: ["Authorization: Bearer s3cr3t", "Accept: text/html", `X-Session: ${variable("SESSION")}`],
    body: new TextEncoder().encode("password=s3cr3t"),
    user: "someone:s3cr3t",
    ca: "-----BEGIN CERTIFICATE-----s3cr3t",
    cert: "-----BEGIN CERTIFICATE-----s3cr3t",
    key: "-----BEGIN PRIVATE KEY-----s3cr3t",
  };
  const resolved = resolvePlan(secrets, { ...surroundings, environment: { SESSION: "s3cr3t" } });
  if (!resolved.ok) throw new Error(resolved.problems.join("\n"));
  const { plan } = resolved;
  const recorded = recordPlan(plan);

  it("leaves no secret anywhere", () => {
    expect(JSON.stringify(plan)).toContain("s3cr3t");
    expect(JSON.stringify(recorded)).not.toContain("s3cr3t");
  });

  it("keeps what does not tell, and that there was something", () => {
    expect(recorded.request).toMatchObject({
      url: "http://[redacted]@127.0.0.1/p?token=[redacted]&id=7",
      headers: [
        ["Authorization", "[redacted]"],
        ["Accept", "text/html"],
        ["X-Session", "[redacted]"],
        expect.anything(),
      ],
      bodyBytes: 15,
      user: "[redacted]",
      tls: { verify: true, customCa: true, clientCertificate: true },
    });
    const { request: _, ...rest } = plan;
    expect(recorded).toMatchObject(rest);
  });

  it("says that there was nothing where there was nothing", () => {
    const bare = resolvePlan({ url: "http://127.0.0.1/" }, surroundings);
    if (!bare.ok) throw new Error(bare.problems.join("\n"));
    expect(recordPlan(bare.plan).request).toMatchObject({
      bodyBytes: 0,
      user: null,
      headers: [],
      tls: { verify: true, customCa: false, clientCertificate: false },
    });
  });
});
