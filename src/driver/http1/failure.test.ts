import { describe, expect, it } from "vitest";
import { readFailure } from "./failure.js";

const error = (code: string) => Object.assign(new Error("said"), { code });

describe("readFailure", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["ENOENT", "refused"],
    ["EHOSTUNREACH", "unreachable"],
    ["ENETUNREACH", "unreachable"],
    ["ETIMEDOUT", "connect-timeout"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["EMFILE", "no-descriptors"],
    ["ENFILE", "no-descriptors"],
    ["EADDRNOTAVAIL", "no-ports"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "tls"],
    ["EWHATEVER", "other"],
  ])("%s is %s", (code, kind) => {
    expect(readFailure(error(code), "connecting").kind).toBe(kind);
  });

  it("takes what ends a handshake for the handshake's failure", () => {
    expect(readFailure(error("ECONNRESET"), "handshaking").kind).toBe("tls");
    expect(readFailure(error("EMFILE"), "handshaking").kind).toBe("no-descriptors");
  });

  it("tells a time-out while connecting from one later", () => {
    expect(readFailure(error("ETIMEDOUT"), "open").kind).toBe("other");
  });

  it("spells out what has no sentence of its own", () => {
    expect(readFailure(error("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"), "handshaking").detail).toBe(
      "TLS: tlsv1 alert unknown ca",
    );
    expect(readFailure(error("EWHATEVER"), "open").detail).toBe("EWHATEVER");
    expect(readFailure(new Error("said"), "open").detail).toBe("said");
  });
});
