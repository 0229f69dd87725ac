import { z } from "zod";
import { CLOCKS, type ClockName, RUN_SCHEMA } from "../record/record.js";

/**
 * The run record's schema: what a file must look like to be read as one. Unknown fields are kept, so that a record of a newer
 * version with more in it can still be reported and merged here.
 */
const count = z.number().int().min(0);
const ms = z.number();
const counts = z.looseObject({
  scheduled: count,
  ok: count,
  errors: count,
  timeouts: count,
  unfinished: count,
  sent: count,
  unsent: count,
});
const requestCounts = counts.extend({ unsentBy: z.record(z.string(), count) });

const encoded = z.looseObject({
  histogram: z.string(),
  censored: z.string().nullable(),
  overflow: count,
  censoredOverflow: count,
  failed: count,
});

const percentile = z.looseObject({
  p: z.number().min(0).max(100),
  valueMs: ms.nullable(),
  lowMs: ms.nullable(),
  highMs: ms.nullable(),
  tailCount: count,
  effectiveN: z.number().nullable(),
  status: z.enum(["known", "lower-bound", "failed", "unknown"]),
});

const summary = encoded.extend({
  n: count,
  meanMs: ms.nullable(),
  stdevMs: ms.nullable(),
  minMs: ms.nullable(),
  maxMs: ms.nullable(),
  percentiles: z.array(percentile),
});

const pauses = z.looseObject({ count, totalMs: ms, maxMs: ms });

const windowRecord = z.looseObject({
  startMs: ms,
  widthMs: ms.positive(),
  warmup: z.boolean(),
  requests: counts,
  response: encoded,
  service: encoded,
  pauses,
  inFlight: z.looseObject({ atStart: z.number(), atEnd: z.number(), meanOverWindow: z.number() }),
});

const plan = z.looseObject({
  request: z.looseObject({
    method: z.string(),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    bodyBytes: count,
    keepAlive: z.boolean(),
    expectStatus: z.array(z.tuple([z.number(), z.number()])),
    user: z.string().nullable(),
    unixSocket: z.string().nullable(),
    resolve: z.array(z.string()),
    family: z.literal([4, 6]).nullable(),
    tls: z.looseObject({ verify: z.boolean(), customCa: z.boolean(), clientCertificate: z.boolean() }),
  }),
  load: z.discriminatedUnion("kind", [
    z.looseObject({
      kind: z.literal("open"),
      arrivals: z.enum(["poisson", "constant"]),
      ratePerS: z.number().positive(),
    }),
    z.looseObject({
      kind: z.literal("closed"),
      users: z.number().int().positive(),
      thinkMs: ms.min(0),
      expectedIntervalMs: ms.nullable(),
    }),
  ]),
  durationMs: ms.nullable(),
  requests: count.nullable(),
  warmupMs: ms.min(0),
  timeoutMs: ms.nullable(),
  connections: count.nullable(),
  maxInFlight: count,
  threads: count,
  pacing: z.enum(["auto", "spin", "sleep"]),
  seed: z.number().int(),
  tags: z.record(z.string(), z.string()),
  abortOn: z.array(
    z.looseObject({
      metric: z.enum(["errors", "timeouts", "failures"]),
      measure: z.enum(["share", "count"]),
      threshold: z.number(),
    }),
  ),
});

const host = z.looseObject({
  hostname: z.string(),
  platform: z.string(),
  cpu: z.string(),
  cores: count,
  memoryBytes: count,
  runtime: z.string(),
  target: z.string(),
});

const runEnding = [
  z.looseObject({ how: z.literal("completed") }),
  z.looseObject({ how: z.literal("interrupted") }),
  z.looseObject({ how: z.literal("aborted"), reason: z.string() }),
  z.looseObject({ how: z.literal("worker-lost"), reason: z.string() }),
] as const;

const mergedPart = z.looseObject({
  runId: z.string(),
  startedAt: z.string(),
  hostname: z.string(),
  wallMs: ms.min(0),
  scheduled: count,
  seed: z.number().int(),
  ended: z.discriminatedUnion("how", runEnding),
  firstWindow: count,
});

const ended = z.discriminatedUnion("how", [
  ...runEnding,
  z.looseObject({ how: z.literal("merged"), runs: count, parts: z.array(mergedPart) }),
]);

const attempts = z.looseObject({
  attempts: count,
  hedges: count,
  retries: count,
  staleRetries: count,
  cancelled: count,
  connectionsOpened: count,
  connectionsReused: count,
  connectionsLost: count,
  connectionsClosed: count,
  connectFailures: count,
});

const latency = Object.fromEntries(CLOCKS.map((clock) => [clock, summary.nullable()])) as Record<
  ClockName,
  z.ZodNullable<typeof summary>
>;

const verdict = z.looseObject({
  status: z.enum(["invalid", "generator-bound", "past-capacity", "too-few-samples", "valid"]),
  findings: z.array(
    z.looseObject({
      code: z.string(),
      severity: z.enum(["error", "warning", "info"]),
      message: z.string(),
      evidence: z.record(z.string(), z.union([z.number(), z.string()])),
      advice: z.string(),
    }),
  ),
  checks: z.array(z.looseObject({ code: z.string(), ran: z.boolean(), passed: z.boolean().nullable() })),
});

export const runSchema = z.looseObject({
  schema: z.literal(RUN_SCHEMA),
  runId: z.string(),
  plan,
  tool: z.looseObject({ name: z.string(), version: z.string() }),
  host,
  startedAt: z.iso.datetime(),
  wallMs: ms.min(0),
  ended,
  requests: requestCounts,
  warmup: requestCounts.nullable(),
  attempts,
  rate: z.looseObject({
    targetPerS: z.number().nullable(),
    achievedPerS: z.number(),
    answeredPerS: z.number(),
    sentVsScheduled: z.number(),
  }),
  inFlightMs: ms.nullable(),
  latency: z.looseObject(latency),
  outcomes: z.looseObject({
    byStatus: z.record(z.string(), count),
    byError: z.record(z.string(), count),
    details: z.record(z.string(), z.string()),
    bodyBytes: count,
  }),
  windows: z.array(windowRecord),
  generator: z.looseObject({
    cpuUserMs: ms,
    cpuSystemMs: ms,
    maxRssBytes: count,
    pauses,
    heldBack: count,
    limits: z.array(z.string()),
  }),
  verdict,
});

/** The same as JSON Schema (2020-12), for other tools. */
export function runJsonSchema(): unknown {
  return z.toJSONSchema(runSchema);
}
