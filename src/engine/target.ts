import { createMonotonicClock } from "../clock/monotonic.js";
import type { Driver, Endpoint, ErrorKind, PreparedRequest } from "../driver/driver.js";
import { parseResolve, resolveEndpoint } from "../driver/endpoint.js";
import { createHttp1Driver } from "../driver/http1/http1.js";
import { prepareRequest } from "../driver/http1/request.js";
import type { Plan } from "../plan/plan.js";
import type { Parsed } from "../units/parsed.js";

/** The target cannot be loaded as things are: the message says what is wrong with it. Nothing was measured. */
export class TargetError extends Error {
  readonly code = "TARGET";
  override readonly name = "TargetError";
}

export interface Target {
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
}

/** How long the first connection may take, where the plan sets no shorter limit. */
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Looks the target up, formats the request, and opens one connection to see that somebody is there. No request is sent: the
 * server's first is the schedule's first.
 *
 * @throws TargetError
 */
export async function prepareTarget(plan: Plan, signal: AbortSignal): Promise<Target> {
  const target = await Promise.race([resolveTarget(plan), abortion(signal)]);
  await probe(target.endpoint, Math.min(plan.timeoutMs ?? PROBE_TIMEOUT_MS, PROBE_TIMEOUT_MS), signal);
  return target;
}

/** Never comes back, unless by throwing: a name server may take longer to give up than a user. */
function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const aborted = () => reject(new TargetError("stopped before the target was found"));
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
  });
}

/** @throws TargetError */
export async function resolveTarget({ request: plan }: Plan): Promise<Target> {
  const url = new URL(plan.url);
  const { ca, cert, key, servername, verify } = plan.tls;
  const endpoint = orThrow(
    await resolveEndpoint({
      url,
      resolve: plan.resolve.map((entry) => orThrow(parseResolve(entry))),
      ...(plan.family !== null && { family: plan.family }),
      ...(plan.unixSocket !== null && { socketPath: plan.unixSocket }),
      tls: {
        verify,
        ...(servername !== null && { servername }),
        ...(ca !== null && { ca }),
        ...(cert !== null && { cert }),
        ...((key ?? cert) !== null && { key: (key ?? cert) as string }),
      },
    }),
  );
  const request = orThrow(
    prepareRequest({
      method: plan.method,
      url,
      headers: plan.headers.map(([name, value]) => ({ name, value })),
      ...(plan.body !== null && { body: plan.body }),
      keepAlive: plan.keepAlive,
      ...(plan.user !== null && { user: plan.user }),
    }),
  );
  return { endpoint, request };
}

function orThrow<T>(result: Parsed<T>): T {
  if (!result.ok) throw new TargetError(result.problem);
  return result.value;
}

function probe(endpoint: Endpoint, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const where = endpoint.socketPath ?? `${endpoint.host}:${endpoint.port}`;
  const reason = (kind: ErrorKind, detail: string) =>
    (endpoint.socketPath === undefined ? EXPLANATIONS[kind] : undefined) ?? `${detail} (${kind})`;
  return new Promise((resolve, reject) => {
    const driver: Driver = createHttp1Driver(
      endpoint,
      {
        onOpen: () => settle(),
        onGone: (_, kind, detail) => settle(new TargetError(`${where}: ${reason(kind, detail)}`)),
        onFirstByte: () => {},
        onDone: () => {},
        onFail: () => {},
      },
      createMonotonicClock(),
    );
    const timer = setTimeout(
      () =>
        settle(
          new TargetError(
            `${where}: no connection within ${timeoutMs / 1000} s; is the address right, is a firewall between?`,
          ),
        ),
      timeoutMs,
    );
    const aborted = () => settle(new TargetError(`${where}: stopped before a connection was open`));
    signal.addEventListener("abort", aborted);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
      driver.close();
      if (error === undefined) resolve();
      else reject(error);
    };
    driver.connect();
    if (signal.aborted) aborted();
  });
}

const EXPLANATIONS: Partial<Record<ErrorKind, string>> = {
  refused: "connection refused; is the server running on this port?",
  unreachable: "no route to it from here",
  "connect-timeout": "it does not answer; is the address right, is a firewall between?",
};
