import { SparseHistogram } from "../hdr/index.js";
import { NS_PER_MS } from "../units/duration.js";
import type { CounterName, RunCells } from "./cells.js";

/** How a run is doing right now: read from the workers' shared memory while they write it. */
export interface LiveView {
  readonly elapsedMs: number;
  /** `null` where the plan has no end in time. */
  readonly durationMs: number | null;
  readonly warmingUp: boolean;
  readonly scheduled: number;
  readonly sent: number;
  readonly ok: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly inFlight: number;
  readonly connections: number;
  /** Of the measured and answered so far; `null` while there are none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export function readLiveView(
  cells: readonly RunCells[],
  timing: Pick<LiveView, "elapsedMs" | "durationMs" | "warmingUp">,
): LiveView {
  const sum = (...names: CounterName[]) =>
    cells.reduce((total, cell) => names.reduce((subtotal, name) => subtotal + cell.get(name), total), 0);
  const response = new SparseHistogram();
  for (const cell of cells) {
    response.add(cell.histograms.response);
    response.add(cell.histograms.responseCensored);
  }
  const [p50 = Number.NaN, p99 = Number.NaN] = response.valuesAtPercentiles([50, 99]);
  return {
    ...timing,
    scheduled: sum("scheduled", "warmupScheduled"),
    sent: sum("sent", "warmupSent"),
    ok: sum("ok", "warmupOk"),
    errors: sum("errors", "warmupErrors"),
    timeouts: sum("timeouts", "warmupTimeouts"),
    inFlight: sum("inFlight"),
    connections: sum("connectionsAlive"),
    p50Ms: Number.isFinite(p50) ? p50 / NS_PER_MS : null,
    p99Ms: Number.isFinite(p99) ? p99 / NS_PER_MS : null,
  };
}
