import type { Plan, RecordedPlan } from "./plan.js";

export const REDACTED = "[redacted]";

const SECRET_HEADER =
  /(^|[-_])(auth|authorization|cookie|credentials?|(api)?key|password|secret|session([-_]?id)?|signature|token)$/i;
const SECRET_PARAMETER = /(key|token|secret|passw|pwd|passphrase|signature|sig|auth|credential|jwt|session)/i;

/** Takes every secret out of a plan: this is the only form in which one is written anywhere. */
export function recordPlan(plan: Plan): RecordedPlan {
  const { body, user, tls, ...request } = plan.request;
  return {
    ...plan,
    request: {
      ...request,
      url: redactUrl(request.url),
      headers: request.headers.map(([name, value]) => [name, redactHeader(name, value)]),
      bodyBytes: body?.length ?? 0,
      user: user === null ? null : REDACTED,
      tls: { verify: tls.verify, customCa: tls.ca !== null, clientCertificate: tls.cert !== null },
    },
  };
}

export function redactHeader(name: string, value: string): string {
  return SECRET_HEADER.test(name.trim()) ? REDACTED : value;
}

/** Hides user and password before the host, and the values of query parameters whose names tell of secrets. */
export function redactUrl(url: string): string {
  return redactParameters(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`));
}

/** A value may be a URL with parameters of its own. */
function redactParameters(text: string): string {
  return text.replace(
    /([?&#])([^=&#]+)=([^&#]*)/g,
    (_, separator: string, name: string, value: string) =>
      `${separator}${name}=${SECRET_PARAMETER.test(name) ? REDACTED : redactParameters(value)}`,
  );
}
