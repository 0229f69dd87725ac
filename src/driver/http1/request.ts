import { type Parsed, parsed, unparsed } from "../../units/parsed.js";
import type { PreparedRequest } from "../driver.js";
import { TOKEN_BYTE, VALUE_BYTE } from "./characters.js";

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** What to ask for, as a user says it. */
export interface RequestSpec {
  readonly method: string;
  readonly url: URL;
  /**
   * Sent in this order, repeated ones too. One named like a header the driver adds takes its place; one with an empty value
   * is not sent at all, and keeps the driver's from being sent.
   */
  readonly headers: readonly Header[];
  readonly body?: Uint8Array;
  /** `false`: asks the peer to close after the answer. */
  readonly keepAlive: boolean;
  /** `user:password`, for basic authentication (RFC 7617); wins over one in the URL. */
  readonly user?: string;
}

/** RFC 9110, 9.2.2. */
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]);
/** Methods whose request says `Content-Length: 0` when it has no body (RFC 9110, 8.6). */
const EXPECTS_BODY = new Set(["POST", "PUT", "PATCH"]);

/** Formats a request once, to be sent many times. */
export function prepareRequest(spec: RequestSpec): Parsed<PreparedRequest> {
  const { method, url, body } = spec;
  if (!isToken(method)) return unparsed(`"${method}" is not a method; write GET, POST or the like`);
  if (method === "CONNECT") return unparsed("CONNECT opens a tunnel, which is no request whose answer could be timed");
  const headProblem = findHeaderProblem(spec);
  if (headProblem !== undefined) return unparsed(headProblem);
  const authorization = basicAuthorization(spec);
  if (!authorization.ok) return authorization;

  // As in curl, a header without a value is not sent, and neither is the driver's own of that name.
  const headers = spec.headers.filter(({ value }) => value !== "");
  const given = new Set(spec.headers.map(({ name }) => name.toLowerCase()));
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && !given.has(name.toLowerCase())) headers.push({ name, value });
  };
  if (!given.has("host")) headers.unshift({ name: "Host", value: url.host });
  add("Authorization", authorization.value);
  add("User-Agent", "tailrace");
  add("Accept", "*/*");
  add("Content-Length", contentLength(method, body));
  add("Connection", spec.keepAlive ? undefined : "close");

  const lines = headers.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, "utf8");
  return parsed({
    bytes: body === undefined ? head : Buffer.concat([head, body]),
    method,
    idempotent: IDEMPOTENT.has(method),
    closes: headers.some(
      ({ name, value }) => name.toLowerCase() === "connection" && /(^|,)\s*close\s*(,|$)/i.test(value),
    ),
  });
}

function contentLength(method: string, body: Uint8Array | undefined): string | undefined {
  if (body !== undefined) return String(body.length);
  return EXPECTS_BODY.has(method) ? "0" : undefined;
}

/** What would let a header break out of its line, or contradict how the body is sent. */
function findHeaderProblem({ headers, body }: RequestSpec): string | undefined {
  let hosts = 0;
  for (const { name, value } of headers) {
    if (!isToken(name))
      return `"${name}" is not a header's name: it may have letters, digits and !#$%&'*+-.^_\`|~ only`;
    if (!isValue(value)) return `header ${name} has a line break or control character in its value`;
    const lower = name.toLowerCase();
    if (lower === "host" && ++hosts > 1) return "header Host is given twice";
    if (lower === "transfer-encoding")
      return "header Transfer-Encoding cannot be set: bodies are sent with Content-Length";
    if (lower === "content-length" && value.trim() !== String(body?.length ?? 0)) {
      return `header Content-Length says ${value.trim()}, but the body has ${body?.length ?? 0} bytes`;
    }
  }
  return undefined;
}

function basicAuthorization({ url, user }: RequestSpec): Parsed<string | undefined> {
  let credentials = user;
  if (credentials === undefined && (url.username !== "" || url.password !== "")) {
    try {
      credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    } catch {
      return unparsed("the user or password in the URL has a % that is no escape; write it %25, or use -u");
    }
  }
  if (credentials === undefined) return parsed(undefined);
  if (!credentials.includes(":")) return unparsed("-u needs a user and a password, as in -u user:password");
  return parsed(`Basic ${Buffer.from(credentials, "utf8").toString("base64")}`);
}

const codes = (text: string) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0);

const isToken = (text: string) => text !== "" && codes(text).every((code) => TOKEN_BYTE[code] === 1);

/** Letters beyond the table are sent as UTF-8, whose bytes are all `obs-text`. */
const isValue = (text: string) => codes(text).every((code) => code > 255 || VALUE_BYTE[code] === 1);
