import type { ErrorKind } from "../driver.js";

/** What went wrong with a socket, in the contract's words. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly detail: string;
}

const KIND_OF_CODE: Readonly<Record<string, ErrorKind>> = {
  ECONNREFUSED: "refused",
  ENOENT: "refused",
  ENOTSOCK: "refused",
  EACCES: "refused",
  EAGAIN: "refused",
  ENETUNREACH: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EHOSTDOWN: "unreachable",
  ENODEV: "unreachable",
  ETIMEDOUT: "connect-timeout",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  EMFILE: "no-descriptors",
  ENFILE: "no-descriptors",
  EADDRNOTAVAIL: "no-ports",
};

const DETAIL_OF_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOENT: "there is no such unix socket",
  ENOTSOCK: "that file is no unix socket",
  EACCES: "the unix socket may not be opened",
  EAGAIN: "the accept queue of the unix socket is full",
  ENETUNREACH: "no route to the network",
  EHOSTUNREACH: "no route to the host",
  ETIMEDOUT: "no answer to the attempts to connect",
  ECONNRESET: "the peer reset the connection",
  EPIPE: "the peer had closed the connection",
  EMFILE: "this process has no file descriptors left (ulimit -n)",
  ENFILE: "this machine has no file descriptors left",
  EADDRNOTAVAIL: "no local port is left for this destination",
};

/** Codes of certificate verification (OpenSSL's X509_V_ERR_…, as Node names them) a user meets. */
const CERTIFICATE_DETAIL: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  CERT_NOT_YET_VALID: "the certificate is not valid yet",
  CERT_REVOKED: "the certificate has been revoked",
  CERT_UNTRUSTED: "the certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate's chain ends in a self-signed one",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate's issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate's issuer is unknown",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate's issuer is unknown",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is for another name",
};

const REMEDY = "; --cacert names one to trust, --insecure skips the check";
const REMEDIED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Reads an error of a socket. Its `code` is a name of errno, of certificate verification, or of OpenSSL's own errors
 * (`ERR_SSL_…`).
 *
 * @param during what the connection was at: whatever ends a handshake is the handshake's failure, and a time-out of the
 *   kernel means another thing once the connection is open
 */
export function readFailure(error: NodeJS.ErrnoException, during: "connecting" | "handshaking" | "open"): Failure {
  const code = error.code ?? "";
  const certificate = CERTIFICATE_DETAIL[code];
  if (certificate !== undefined) {
    return { kind: "tls", detail: REMEDIED.has(code) ? certificate + REMEDY : certificate };
  }
  if (code.includes("NO_APPLICATION_PROTOCOL")) {
    return {
      kind: "tls",
      detail: "the target refuses HTTP/1.1 over TLS (perhaps it speaks only HTTP/2, which this driver does not)",
    };
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return { kind: "tls", detail: "the target does not speak TLS: write http://" };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    return { kind: "tls", detail: `TLS: ${code.slice("ERR_SSL_".length).toLowerCase().replaceAll("_", " ")}` };
  }
  if (during === "open" && code === "ETIMEDOUT") {
    return { kind: "other", detail: "the peer no longer acknowledges what is sent (ETIMEDOUT)" };
  }
  if (during === "handshaking" && (code === "ECONNRESET" || code === "EPIPE")) {
    return { kind: "tls", detail: "the peer closed during the TLS handshake" };
  }
  return { kind: KIND_OF_CODE[code] ?? "other", detail: DETAIL_OF_CODE[code] ?? (code || error.message) };
}
