import { formatDuration, NS_PER_MS } from "../units/duration.js";
import { formatCount, formatRate } from "../units/rate.js";

/** What the live line needs to know: numbers only, so that this room depends on no engine. */
export interface LiveNumbers {
  readonly elapsedMs: number;
  readonly durationMs: number | null;
  readonly warmingUp: boolean;
  readonly sent: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly inFlight: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** `12s/30s · 604 sent · 50.3/s of 50/s · 2 in flight · p50 5.1 ms · p99 31 ms` */
export function liveLine(now: LiveNumbers, targetPerS: number | null): string {
  const seconds = (ms: number) => `${Math.floor(ms / 1000)}s`;
  const elapsed = Math.min(now.elapsedMs, now.durationMs ?? now.elapsedMs);
  const achieved = formatRate(elapsed > 0 ? now.sent / (elapsed / 1000) : 0);
  const failures = [
    now.errors > 0 ? `${formatCount(now.errors)} errors` : "",
    now.timeouts > 0 ? `${formatCount(now.timeouts)} timeouts` : "",
  ];
  return [
    now.durationMs === null ? seconds(now.elapsedMs) : `${seconds(now.elapsedMs)}/${seconds(now.durationMs)}`,
    now.warmingUp ? "warming up" : "",
    `${formatCount(now.sent)} sent`,
    targetPerS === null ? achieved : `${achieved} of ${formatRate(targetPerS)}`,
    `${formatCount(now.inFlight)} in flight`,
    ...failures,
    now.p50Ms === null ? "" : `p50 ${formatDuration(now.p50Ms * NS_PER_MS)}`,
    now.p99Ms === null ? "" : `p99 ${formatDuration(now.p99Ms * NS_PER_MS)}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
