import type { Endpoint, PreparedRequest } from "../driver/driver.js";
import type { Plan } from "../plan/plan.js";
import { NS_PER_MS } from "../units/duration.js";
import { RunCells } from "./cells.js";
import type { Job } from "./messages.js";

/** Finest window, and how many of them a run is cut into. */
const NARROWEST_WINDOW_MS = 50;
const WINDOWS_A_RUN = 256;
/** Answers assumed to take this long when guessing how many connections an open loop will need. */
const GUESSED_SERVICE_MS = 20;
const MOST_PREOPENED = 64;

export interface JobParts {
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
  readonly samples: boolean;
  readonly descriptorLimit: number;
}

/** Deals a plan out to its workers. */
export function dealJobs(plan: Plan, parts: JobParts): readonly Job[] {
  const onTheWire = new SharedArrayBuffer(plan.threads * Int32Array.BYTES_PER_ELEMENT);
  return Array.from({ length: plan.threads }, (_, index): Job => {
    const deal = (total: number) => Math.floor(total / plan.threads) + (index < total % plan.threads ? 1 : 0);
    const users = plan.load.kind === "closed" ? deal(plan.load.users) : 0;
    const maxInFlight = Math.max(1, deal(plan.maxInFlight));
    const maxConnections = plan.connections === null ? maxInFlight : deal(plan.connections);
    return {
      ...parts,
      load:
        plan.load.kind === "open"
          ? plan.load
          : {
              kind: "closed",
              users,
              thinkNs: Math.round(plan.load.thinkMs * NS_PER_MS),
              expectedIntervalNs: toNs(plan.load.expectedIntervalMs, null),
            },
      seed: plan.seed,
      share: { index, of: plan.threads },
      durationNs: toNs(plan.durationMs, Number.POSITIVE_INFINITY),
      requests: plan.requests ?? Number.POSITIVE_INFINITY,
      warmupNs: Math.round(plan.warmupMs * NS_PER_MS),
      timeoutNs: toNs(plan.timeoutMs, Number.POSITIVE_INFINITY),
      windowNs: windowMs(plan) * NS_PER_MS,
      keepAlive: plan.request.keepAlive,
      expectStatus: plan.request.expectStatus,
      maxInFlight,
      maxConnections,
      preopen: Math.min(maxConnections, preopened(plan, users)),
      pacing: plan.pacing,
      cells: new SharedArrayBuffer(RunCells.bytes),
      onTheWire,
    };
  });
}

const toNs = <T>(ms: number | null, otherwise: T) => (ms === null ? otherwise : Math.round(ms * NS_PER_MS));

/** A 256th of the measured part in whole milliseconds, not under 50 ms; where nothing tells how long that will be, 50 ms. */
function windowMs({ load, requests, durationMs, warmupMs }: Plan): number {
  const byCountMs = load.kind === "open" && requests !== null ? (requests / load.ratePerS) * 1000 : null;
  const ends = [durationMs, byCountMs].filter((end) => end !== null);
  const measuredMs = ends.length === 0 ? 0 : Math.min(...ends) - warmupMs;
  return Math.max(NARROWEST_WINDOW_MS, Math.ceil(measuredMs / WINDOWS_A_RUN));
}

/** Connections one worker opens before the clock starts. Without keep-alive each request opens its own in any case. */
function preopened(plan: Plan, users: number): number {
  if (!plan.request.keepAlive) return 0;
  if (plan.load.kind === "closed") return users;
  if (plan.connections !== null) return plan.connections;
  const expected = (plan.load.ratePerS / plan.threads) * (GUESSED_SERVICE_MS / 1000);
  return Math.min(MOST_PREOPENED, Math.max(2, Math.ceil(expected)));
}
