import { describe, expect, it } from "vitest";
import { prepareRequest, type RequestSpec } from "./request.js";

const spec = (more: Partial<RequestSpec> = {}): RequestSpec => ({
  method: "GET",
  url: new URL("http://example.com:8080/a/b?c=d#e"),
  headers: [],
  keepAlive: true,
  ...more,
});
const text = (more: Partial<RequestSpec> = {}) => {
  const request = prepareRequest(spec(more));
  if (!request.ok) throw new Error(request.problem);
  return Buffer.from(request.value.bytes).toString("utf8");
};
const problem = (more: Partial<RequestSpec>) => {
  const request = prepareRequest(spec(more));
  return request.ok ? undefined : request.problem;
};

describe("prepareRequest", () => {
  it("writes a plain request", () => {
    expect(text()).toBe(
      "GET /a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nUser-Agent: tailrace\r\nAccept: */*\r\n\r\n",
    );
  });

  it("writes a body with its length", () => {
    const body = new Uint8Array([0, 13, 10, 255]);
    const request = prepareRequest(spec({ method: "POST", body }));
    if (!request.ok) throw new Error(request.problem);
    const bytes = Buffer.from(request.value.bytes);
    expect(bytes.toString("latin1")).toMatch(/^POST .*\r\nContent-Length: 4\r\n\r\n/s);
    expect(bytes.subarray(-4)).toEqual(Buffer.from(body));
  });

  it.each([
    ["POST", true],
    ["PUT", true],
    ["GET", false],
    ["DELETE", false],
  ])("without a body, %s says so: %s", (method, says) => {
    expect(text({ method }).includes("Content-Length: 0")).toBe(says);
  });

  it("lets the user's headers win, repeat, and by an empty one leave out the driver's", () => {
    const headers = [
      { name: "HOST", value: "other" },
      { name: "user-agent", value: "me" },
      { name: "X-A", value: "1" },
      { name: "X-A", value: "2" },
      { name: "Accept", value: "" },
    ];
    expect(text({ headers })).toBe(
      "GET /a/b?c=d HTTP/1.1\r\nHOST: other\r\nuser-agent: me\r\nX-A: 1\r\nX-A: 2\r\n\r\n",
    );
  });

  it("names an IPv6 host in brackets and leaves out the scheme's own port", () => {
    expect(text({ url: new URL("http://[::1]:81/") })).toContain("Host: [::1]:81\r\n");
    expect(text({ url: new URL("https://example.com:443") })).toMatch(/^GET \/ HTTP\/1.1\r\nHost: example.com\r\n/);
  });

  it("authenticates with -u, else with the URL, unless a header does", () => {
    const url = new URL("http://ann:p%40ss@example.com/");
    expect(text({ url })).toContain(`Authorization: Basic ${btoa("ann:p@ss")}\r\n`);
    expect(text({ url, user: "bob:a:b" })).toContain(`Authorization: Basic ${btoa("bob:a:b")}\r\n`);
    expect(text({ user: "ü:ß" })).toContain("Authorization: Basic w7w6w58=\r\n");
    const own = text({ user: "bob:x", headers: [{ name: "authorization", value: "Bearer t" }] });
    expect(own.match(/authorization/gi)).toHaveLength(1);
  });

  it.each([
    [{ keepAlive: false }, true],
    [{ headers: [{ name: "connection", value: "x, Close" }] }, true],
    [{ headers: [{ name: "Connection", value: "keep-alive" }] }, false],
    [{}, false],
  ])("knows whether it closes: %j", (more, closes) => {
    const request = prepareRequest(spec(more));
    expect(request.ok && request.value.closes).toBe(closes);
    expect(/connection: .*close/i.test(text(more))).toBe(closes);
  });

  it("knows the idempotent methods of RFC 9110", () => {
    const idempotent = (method: string) => {
      const request = prepareRequest(spec({ method }));
      return request.ok && request.value.idempotent;
    };
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]) expect(idempotent(method)).toBe(true);
    for (const method of ["POST", "PATCH", "PROPFIND", "get"]) expect(idempotent(method)).toBe(false);
  });

  it.each<[Partial<RequestSpec>, RegExp]>([
    [{ method: "" }, /not a method/],
    [{ method: "GET /" }, /not a method/],
    [{ method: "CONNECT" }, /tunnel/],
    [{ headers: [{ name: "X-A", value: "a\r\nX-B: c" }] }, /X-A has a line break/],
    [{ headers: [{ name: "X-A", value: "a\0" }] }, /X-A has a line break or control character/],
    [{ headers: [{ name: "X A", value: "a" }] }, /"X A" is not a header's name/],
    [{ headers: [{ name: "Ä", value: "a" }] }, /"Ä" is not a header's name/],
    [{ headers: [{ name: "", value: "a" }] }, /"" is not a header's name/],
    [
      {
        headers: [
          { name: "Host", value: "a" },
          { name: "host", value: "b" },
        ],
      },
      /Host is given twice/,
    ],
    [{ headers: [{ name: "Content-Length", value: "3" }], body: new Uint8Array(2) }, /says 3, but the body has 2/],
    [{ headers: [{ name: "transfer-encoding", value: "chunked" }] }, /cannot be set/],
    [{ user: "bob" }, /-u user:password/],
    [{ url: new URL("http://a:%zz@example.com/") }, /%25/],
  ])("refuses %j", (more, expected) => {
    expect(problem(more)).toMatch(expected);
  });
});
