import { randomUUID } from "node:crypto";
import { createMonotonicClock } from "../clock/monotonic.js";
import type { Plan } from "../plan/plan.js";
import type { Measurement } from "../record/measurement.js";
import type { Ending } from "../record/record.js";
import { NS_PER_MS } from "../units/duration.js";
import { AbortWatch } from "./abort.js";
import { assemble } from "./assemble.js";
import { RunCells } from "./cells.js";
import { describeHost } from "./host.js";
import { dealJobs } from "./jobs.js";
import { type LiveView, readLiveView } from "./live-view.js";
import type { FromWorker, Job, OutcomeCounts } from "./messages.js";
import { prepareTarget } from "./target.js";
import { WindowGrid } from "./window-grid.js";
import { type OpenWorker, openThread, type WorkerLink } from "./worker-link.js";

/** Between the word to start and the schedule's beginning: all workers have heard it by then. */
const LEAD_NS = 20 * NS_PER_MS;
const LIVE_EVERY_MS = 250;

export interface RunOptions {
  readonly tool: Measurement["tool"];
  readonly descriptorLimit: number;
  /** Cuts the schedule; what is out is waited for. */
  readonly stopSchedule: AbortSignal;
  /** Ends at once; what is out stays unfinished. */
  readonly stopNow: AbortSignal;
  readonly onLive?: (view: LiveView) => void;
  /** Takes rows of `SAMPLE_COLUMNS`. */
  readonly onSamples?: (rows: Float64Array) => void;
  readonly openWorker?: OpenWorker;
}

/**
 * Carries a plan out on this machine.
 *
 * @throws TargetError if the target cannot be found, dialled or asked; nothing was measured then
 */
export async function measure(plan: Plan, options: RunOptions): Promise<Measurement> {
  const { endpoint, request } = await prepareTarget(plan, AbortSignal.any([options.stopSchedule, options.stopNow]));
  const jobs = dealJobs(plan, {
    endpoint,
    request,
    samples: options.onSamples !== undefined,
    descriptorLimit: options.descriptorLimit,
  });
  return new Run(plan, jobs, options).toEnd();
}

/** One run: starts the workers together, listens to them, and puts together what they counted. */
class Run {
  private readonly plan: Plan;
  private readonly options: RunOptions;
  private readonly jobs: readonly Job[];
  private readonly links: readonly WorkerLink[];
  private readonly cells: readonly RunCells[];
  private readonly clock = createMonotonicClock();
  private readonly windows: WindowGrid;
  private readonly outcomes: OutcomeCounts[] = [];
  private readonly limits: string[] = [];
  private readonly watch: AbortWatch;
  private readonly usageBefore = process.cpuUsage();
  private finish: () => void = () => {};
  private readonly finished = new Promise<void>((resolve) => {
    this.finish = resolve;
  });
  private armed = 0;
  private running: number;
  private ended: Ending = { how: "completed" };
  private startNs = Number.NaN;
  private startedAt = new Date();
  private cutNs: number | null = null;

  constructor(plan: Plan, jobs: readonly Job[], options: RunOptions) {
    this.plan = plan;
    this.options = options;
    this.jobs = jobs;
    this.running = jobs.length;
    this.cells = jobs.map((job) => new RunCells(job.cells));
    this.windows = new WindowGrid((jobs[0]?.windowNs ?? 0) / NS_PER_MS);
    this.watch = new AbortWatch(plan.abortOn);
    const open = options.openWorker ?? openThread;
    this.links = jobs.map((_, index) =>
      open({
        onMessage: (message) => this.onMessage(message),
        onLost: (reason) => this.onLost(index, reason),
      }),
    );
  }

  async toEnd(): Promise<Measurement> {
    const stopSchedule = () => this.cut({ how: "interrupted" });
    const stopNow = () => this.stopNow();
    this.options.stopSchedule.addEventListener("abort", stopSchedule);
    this.options.stopNow.addEventListener("abort", stopNow);
    for (const [i, link] of this.links.entries()) link.send({ type: "plan", job: this.jobs[i]! });
    if (this.options.stopSchedule.aborted) stopSchedule();
    const ticker = setInterval(() => this.tick(), LIVE_EVERY_MS);
    await this.finished;
    clearInterval(ticker);
    this.options.stopSchedule.removeEventListener("abort", stopSchedule);
    this.options.stopNow.removeEventListener("abort", stopNow);
    return this.assemble();
  }

  private onMessage(message: FromWorker): void {
    switch (message.type) {
      case "armed":
        this.armed++;
        if (this.armed === this.links.length) this.start();
        break;
      case "window":
        this.windows.add(message.window);
        break;
      case "samples":
        this.options.onSamples?.(message.rows);
        break;
      case "limit": {
        // It is met again and again, by each worker; the first time of each kind says it all.
        const [kind] = message.sentence.split(":", 1);
        if (!this.limits.some((told) => told.startsWith(`${kind}:`))) this.limits.push(message.sentence);
        break;
      }
      case "done":
        this.outcomes.push(message.outcomes);
        this.leave();
        break;
    }
  }

  private start(): void {
    this.startNs = this.clock.nowNs() + LEAD_NS;
    this.startedAt = new Date(Date.now() + LEAD_NS / NS_PER_MS);
    for (const link of this.links) link.send({ type: "start", atNs: this.startNs });
  }

  /** What it had counted is in shared memory, and stays; the others are stopped, for the schedule is no longer whole. */
  private onLost(index: number, reason: string): void {
    const ended: Ending = { how: "worker-lost", reason: `worker ${index + 1} was lost: ${reason}` };
    this.cut(ended);
    // Whatever else had cut the run short, this is the worse.
    this.ended = ended;
    this.leave();
  }

  private leave(): void {
    this.running--;
    if (this.running === 0) this.finish();
  }

  private cut(ended: Ending): void {
    const nowNs = this.clock.nowNs();
    const overNs = this.startNs + (this.plan.durationMs ?? Number.POSITIVE_INFINITY) * NS_PER_MS;
    // A schedule that is over cannot be cut: its last answers are all that is waited for.
    if (this.cutNs !== null || nowNs >= overNs) return;
    this.cutNs = nowNs;
    this.ended = ended;
    for (const link of this.links) link.send({ type: "stop", what: "schedule" });
  }

  private stopNow(): void {
    this.cut({ how: "interrupted" });
    if (this.ended.how === "completed") this.ended = { how: "interrupted" };
    for (const link of this.links) link.send({ type: "stop", what: "now" });
  }

  private tick(): void {
    const nowNs = this.clock.nowNs();
    if (!(nowNs >= this.startNs)) return;
    const elapsedMs = (nowNs - this.startNs) / NS_PER_MS;
    const view = readLiveView(this.cells, {
      elapsedMs,
      durationMs: this.plan.durationMs,
      warmingUp: elapsedMs < this.plan.warmupMs,
    });
    const { ok, errors, timeouts } = view;
    const reason = this.watch.look({ atMs: elapsedMs, ended: ok + errors + timeouts, errors, timeouts });
    if (reason !== undefined) this.cut({ how: "aborted", reason });
    this.options.onLive?.(view);
  }

  private assemble(): Measurement {
    const endNs = this.clock.nowNs();
    const cpu = process.cpuUsage(this.usageBefore);
    const endpoint = this.jobs[0]!.endpoint;
    return assemble({
      plan: this.plan,
      runId: randomUUID(),
      tool: this.options.tool,
      host: describeHost(endpoint.socketPath ?? `${endpoint.address}:${endpoint.port}`),
      startedAt: this.startedAt.toISOString(),
      startNs: Number.isNaN(this.startNs) ? endNs : this.startNs,
      endNs,
      cutNs: this.cutNs,
      ended: this.ended,
      cells: this.cells,
      windows: this.windows,
      outcomes: this.outcomes,
      limits: this.limits,
      usage: {
        cpuUserMs: cpu.user / 1000,
        cpuSystemMs: cpu.system / 1000,
        // getrusage's maximum: kilobytes on Linux, and so in Node everywhere.
        maxRssBytes: process.resourceUsage().maxRSS * 1024,
      },
    });
  }
}
