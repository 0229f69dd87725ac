import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";
import type { Endpoint, TlsOptions } from "./driver.js";

/** One `--resolve host:port:address`: where to dial instead of asking the resolver. */
export interface ResolveEntry {
  readonly host: string;
  readonly port: number;
  readonly address: string;
}

export interface EndpointSpec {
  readonly url: URL;
  readonly resolve?: readonly ResolveEntry[];
  /** `-4` or `-6`. */
  readonly family?: 4 | 6;
  readonly socketPath?: string;
  /** For https; PEM texts. `servername` is the URL's host unless given, `verify` is on. */
  readonly tls?: Partial<TlsOptions>;
}

/** Addresses of a name in the resolver's order; rejects with an errno code. A seam for tests. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const systemLookup: Lookup = (host) => lookup(host, { all: true, verbatim: true });

/** Reads the target of a run. */
export function parseTarget(text: string): Parsed<URL> {
  const trimmed = text.trim();
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return unparsed(`"${text}" has no scheme; write http://${trimmed}`);
  if (!URL.canParse(trimmed)) return unparsed(`"${text}" is not a URL; write it like http://localhost:8080/path`);
  const url = new URL(trimmed);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return unparsed(`"${text}" is neither http:// nor https://`);
  }
  return parsed(url);
}

/** Reads `host:port:address`; IPv6 addresses may be in brackets. */
export function parseResolve(text: string): Parsed<ResolveEntry> {
  const match = /^(\[[^\]]*\]|[^:]+):(\d+):(.+)$/.exec(text.trim());
  const host = unbracket(match?.[1] ?? "").toLowerCase();
  const port = Number(match?.[2]);
  const address = unbracket(match?.[3] ?? "");
  if (host === "" || !(port >= 1 && port <= 65535) || isIP(address) === 0) {
    return unparsed(`"${text}" is not host:port:address; write it like example.com:443:127.0.0.1`);
  }
  return parsed({ host, port, address });
}

/** Finds out where to connect. All looking up, and all reading of certificates, is done here, before the clock starts. */
export async function resolveEndpoint(spec: EndpointSpec, lookUp: Lookup = systemLookup): Promise<Parsed<Endpoint>> {
  const { url, socketPath } = spec;
  const secure = url.protocol === "https:";
  const host = unbracket(url.hostname);
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  if (socketPath !== undefined && Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    return unparsed(`the path of the unix socket is longer than ${MAX_SOCKET_PATH_BYTES} bytes`);
  }
  const found = socketPath !== undefined ? parsed("") : await addressOf(host, port, spec, lookUp);
  if (!found.ok) return found;
  const tls = secure ? readTls(host, spec.tls ?? {}) : parsed(undefined);
  if (!tls.ok) return tls;
  return parsed({
    host,
    port,
    address: found.value,
    family: isIP(found.value) === 6 ? 6 : 4,
    ...(socketPath !== undefined && { socketPath }),
    ...(tls.value !== undefined && { tls: tls.value }),
  });
}

/** Of `sun_path` on Linux and macOS, whichever is shorter, with its closing zero. Longer ones fail as "invalid". */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

async function addressOf(host: string, port: number, spec: EndpointSpec, lookUp: Lookup): Promise<Parsed<string>> {
  const { family } = spec;
  const entry = spec.resolve?.find((one) => one.host === host && one.port === port);
  const literal = entry?.address ?? (isIP(host) === 0 ? undefined : host);
  if (literal !== undefined) {
    if (family === undefined || isIP(literal) === family) return parsed(literal);
    return unparsed(`${literal} is an IPv${isIP(literal)} address, but -${family} asks for IPv${family}`);
  }
  try {
    const addresses = await lookUp(host);
    // Most servers on this machine listen on 127.0.0.1 only, yet many systems name ::1 first.
    const preferred = family ?? (host === "localhost" ? 4 : undefined);
    const chosen =
      addresses.find((one) => one.family === preferred) ?? (family === undefined ? addresses[0] : undefined);
    return chosen !== undefined ? parsed(chosen.address) : unparsed(`${host} has no IPv${family ?? 4} address`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ENOTFOUND") return unparsed(`the host name ${host} is unknown`);
    return unparsed(`the host name ${host} could not be looked up: ${LOOKUP_PROBLEM[code] ?? code}`);
  }
}

const LOOKUP_PROBLEM: Readonly<Record<string, string>> = {
  EAI_AGAIN: "the name server does not answer",
  ENODATA: "it has no address",
};

function readTls(host: string, given: Partial<TlsOptions>): Parsed<TlsOptions> {
  const { ca, cert, key } = given;
  if ((cert === undefined) !== (key === undefined)) {
    return unparsed(
      `a client certificate needs its ${cert === undefined ? "certificate (--cert)" : "key (--key)"} too`,
    );
  }
  for (const [what, pem] of Object.entries({ "CA file": ca, "client certificate": cert })) {
    if (pem !== undefined && !pem.includes("-----BEGIN CERTIFICATE-----")) {
      return unparsed(`the ${what} holds no certificate; it must be in PEM form (-----BEGIN CERTIFICATE-----)`);
    }
  }
  const material = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  try {
    createSecureContext(material);
  } catch (error) {
    return unparsed(`the certificates given cannot be used: ${(error as Error).message}`);
  }
  return parsed({ servername: given.servername ?? host, verify: given.verify ?? true, ...material });
}

const unbracket = (host: string) => (host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host);
