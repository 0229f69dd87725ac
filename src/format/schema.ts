import { z } from "zod";
import { CLOCKS, RUN_SCHEMA } from "../record/record.js";

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
  meanMs: ms,
  stdevMs: ms,
  minMs: ms,
  maxMs: ms,
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
});

const ended = z.discriminatedUnion("how", [
  z.looseObject({ how: z.literal("completed") }),
  z.looseObject({ how: z.literal("interrupted") }),
  z.looseObject({ how: z.literal("aborted"), reason: z.string() }),
  z.looseObject({ how: z.literal("worker-lost"), reason: z.string() }),
  z.looseObject({ how: z.literal("merged"), runs: count }),
]);

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
  host: z.looseObject({ hostname: z.string(), target: z.string() }),
  startedAt: z.iso.datetime(),
  wallMs: ms.min(0),
  ended,
  requests: requestCounts,
  warmup: requestCounts.nullable(),
  attempts: z.record(z.string(), count),
  rate: z.looseObject({
    targetPerS: z.number().nullable(),
    achievedPerS: z.number(),
    answeredPerS: z.number(),
    sentVsScheduled: z.number(),
  }),
  inFlightMs: ms.nullable(),
  latency: z.looseObject(Object.fromEntries(CLOCKS.map((clock) => [clock, summary.nullable()]))),
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
