import type { MonotonicClock } from "../clock/monotonic.js";
import type { Sleeper } from "../clock/sleeper.js";
import type { Connection, ConnectionListener, ConnectionState, Driver, ErrorKind } from "../driver/driver.js";
import { type CounterName, RunCells } from "./cells.js";
import type { FromWorker, Job, OutcomeCounts, WindowCounts } from "./messages.js";
import { RequestLoop } from "./request-loop.js";

/** What a simulated server does with one exchange, or with an attempt to connect. */
export type Fate =
  | { readonly kind: "answer"; readonly afterNs: number; readonly status?: number; readonly close?: boolean }
  | { readonly kind: "fail"; readonly afterNs: number; readonly error: ErrorKind; readonly sawFirstByte?: boolean }
  | { readonly kind: "silence" };

export interface ServerScript {
  /** @param n how many exchanges began before */
  readonly exchange: (n: number, nowNs: number, exchangesOnConnection: number) => Fate;
  /** `null`: it opens after `openNs`. `hang`: it never does anything. */
  readonly refuse?: (n: number, nowNs: number) => ErrorKind | "hang" | null;
  readonly openNs?: number;
  /** How long the generator itself is busy with beginning to open one. */
  readonly dialNs?: number;
}

export const baseJob = (overrides: Partial<Job> = {}): Job => ({
  endpoint: { host: "simulated", port: 80, address: "127.0.0.1", family: 4 },
  request: { bytes: new Uint8Array(0), method: "GET", idempotent: true, closes: false },
  load: { kind: "open", arrivals: "constant", ratePerS: 100 },
  seed: 1,
  share: { index: 0, of: 1 },
  durationNs: 1e9,
  requests: Number.POSITIVE_INFINITY,
  warmupNs: 0,
  timeoutNs: 10e9,
  windowNs: 50e6,
  keepAlive: true,
  expectStatus: [[200, 399]],
  maxInFlight: 10_000,
  maxConnections: 10_000,
  preopen: 2,
  pacing: "spin",
  samples: false,
  descriptorLimit: 1024,
  cells: new SharedArrayBuffer(RunCells.bytes),
  onTheWire: new SharedArrayBuffer(4),
  ...overrides,
});

/** A request loop on a clock that jumps from event to event, against a server that does as it is told. */
export class VirtualWorld {
  nowNs = 1e9;
  readonly windows: WindowCounts[] = [];
  readonly samples: Float64Array[] = [];
  readonly limits: string[] = [];
  outcomes: OutcomeCounts | undefined;
  exchanges = 0;
  connects = 0;
  readonly loop: RequestLoop;
  readonly cells: RunCells;
  readonly script: ServerScript;
  listener!: ConnectionListener;
  readonly living = new Set<VirtualConnection>();
  private readonly events: { atNs: number; order: number; run: () => void }[] = [];
  private order = 0;
  private armed = false;
  /** How late the loop is woken; a generator that cannot keep up. */
  private readonly wakeLagNs: number;

  constructor(job: Job, script: ServerScript, wakeLagNs = 0) {
    this.script = script;
    this.wakeLagNs = wakeLagNs;
    this.cells = new RunCells(job.cells);
    const clock: MonotonicClock = { nowNs: () => this.nowNs };
    this.loop = new RequestLoop(job, {
      clock,
      driver: (listener) => this.driver(listener),
      sleeper: (onWake) => this.sleeper(onWake),
      send: (message) => this.receive(message),
    });
    this.loop.arm();
  }

  get(name: CounterName): number {
    return this.cells.get(name);
  }

  /** Arms, starts, and runs until the loop has ended or nothing is left to happen. @returns the start, in clock ns */
  run(): number {
    while (!this.armed && this.step());
    const startNs = this.nowNs + 1000;
    this.loop.start(startNs);
    while (this.outcomes === undefined && this.step());
    return startNs;
  }

  at(atNs: number, run: () => void): void {
    this.events.push({ atNs, order: this.order++, run });
  }

  private step(): boolean {
    let first = 0;
    for (let i = 1; i < this.events.length; i++) {
      const [a, b] = [this.events[i]!, this.events[first]!];
      if (a.atNs < b.atNs || (a.atNs === b.atNs && a.order < b.order)) first = i;
    }
    const event = this.events[first];
    if (event === undefined) return false;
    this.events.splice(first, 1);
    this.nowNs = Math.max(this.nowNs, event.atNs);
    event.run();
    return true;
  }

  private receive(message: FromWorker): void {
    if (message.type === "armed") this.armed = true;
    else if (message.type === "window") this.windows.push(message.window);
    else if (message.type === "samples") this.samples.push(message.rows);
    else if (message.type === "limit") this.limits.push(message.sentence);
    else if (message.type === "done") this.outcomes = message.outcomes;
  }

  private sleeper(onWake: (nowNs: number) => void): Sleeper {
    let asked = 0;
    return {
      wakeAt: (atNs) => {
        const mine = ++asked;
        if (atNs === Number.POSITIVE_INFINITY) return;
        this.at(Math.max(atNs, this.nowNs) + this.wakeLagNs, () => {
          if (mine === asked) onWake(this.nowNs);
        });
      },
      stayAwake: () => {},
      close: () => {
        asked++;
      },
    };
  }

  private driver(listener: ConnectionListener): Driver {
    this.listener = listener;
    return {
      connect: () => {
        const connection = new VirtualConnection(this);
        this.nowNs += this.script.dialNs ?? 0;
        const refusal = this.script.refuse?.(this.connects++, this.nowNs) ?? null;
        this.living.add(connection);
        if (refusal !== "hang") {
          this.at(this.nowNs + (this.script.openNs ?? 100_000), () => connection.settleOpening(refusal));
        }
        return connection;
      },
      close: () => {
        for (const connection of this.living) connection.destroy();
      },
    };
  }
}

export class VirtualConnection implements Connection {
  state: ConnectionState = "connecting";
  exchanges = 0;
  reusableUntilNs = Number.POSITIVE_INFINITY;
  tag = -1;
  private readonly world: VirtualWorld;

  constructor(world: VirtualWorld) {
    this.world = world;
  }

  send(): void {
    if (this.state !== "idle") throw new Error(`send on a connection that is ${this.state}`);
    const { world } = this;
    this.state = "busy";
    const onThis = this.exchanges++;
    const fate = world.script.exchange(world.exchanges++, world.nowNs, onThis);
    if (fate.kind === "silence") return;
    world.at(world.nowNs + fate.afterNs, () => {
      if (this.state !== "busy") return;
      if (fate.kind === "fail") {
        this.die();
        world.listener.onFail(this, fate.error, "as scripted", fate.sawFirstByte === true, world.nowNs);
        return;
      }
      world.listener.onFirstByte(this, world.nowNs);
      if (fate.close === true) this.die();
      else this.state = "idle";
      world.listener.onDone(this, fate.status ?? 200, 3, world.nowNs);
    });
  }

  destroy(): void {
    this.die();
  }

  /** The server closes it while idle. */
  closeIdle(): void {
    if (this.state !== "idle") return;
    this.die();
    this.world.listener.onGone(this, "closed", "idle", this.world.nowNs);
  }

  settleOpening(refusal: ErrorKind | null): void {
    if (this.state !== "connecting") return;
    if (refusal === null) {
      this.state = "idle";
      this.world.listener.onOpen(this, this.world.nowNs);
    } else {
      this.die();
      this.world.listener.onGone(this, refusal, "as scripted", this.world.nowNs);
    }
  }

  private die(): void {
    this.state = "dead";
    this.world.living.delete(this);
  }
}
