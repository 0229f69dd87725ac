import type { Plan, RecordedPlan } from "./plan.js";

export const REDACTED = "[redacted]";

const SECRET_HEADER = /^(authorization|proxy-authorization|cookie|set-cookie|.*-(key|token|secret))$/i;
const SECRET_PARAMETER = /(key|token|secret|password|passwd|signature|sig|auth|credential)/i;

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

/** Hides a password before the host and the values of query parameters whose names tell of secrets. */
export function redactUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${REDACTED}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, separator: string, name: string) =>
      SECRET_PARAMETER.test(name) ? `${separator}${name}=${REDACTED}` : whole,
    );
}
