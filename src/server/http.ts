import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMonotonicClock, type MonotonicClock } from "../clock/monotonic.js";
import { createSleeper, type Sleeper } from "../clock/sleeper.js";
import { NS_PER_MS } from "../units/duration.js";
import { AnswerWriter } from "./answer.js";
import type { ServerConfig } from "./config.js";
import type { Job } from "./job.js";
import { Ledger, type ServerCounts, type ServerTimes } from "./ledger.js";
import { ServerStartError } from "./start-error.js";
import { VirtualServer } from "./virtual-server.js";

/** The answer to `GET /__tailrace/stats`. Requests to `/__tailrace/` are not in it. */
export interface ServerStats {
  readonly schema: "tailrace/server-stats@1";
  readonly config: ServerConfig;
  /** Since the start or the last reset. */
  readonly elapsedMs: number;
  readonly counts: ServerCounts;
  /** Of the requests in flight, those that wait for a worker. */
  readonly waiting: number;
  readonly times: ServerTimes;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  stats(): ServerStats;
  /**
   * Begins anew: record, draws, queue and the freezes' anchor, so that an experiment can be repeated exactly. Requests
   * still in flight belong to neither record: their connections are reset. @returns how many these were.
   */
  reset(): number;
  /** Stops listening and drops every connection. */
  close(): Promise<void>;
}

const CONTROL_PATH = "/__tailrace/";
const KEY_HEADER = "x-tailrace-key";
/** As long as a kernel will give: a burst of connections should wait in it, as at a real server, not be refused. */
const BACKLOG = 4096;

/**
 * Starts a tail server. `pacing` other than `spin` needs the built package, for its helper thread.
 *
 * @throws ServerStartError if it cannot listen there
 */
export async function startServer(config: ServerConfig): Promise<RunningServer> {
  const clock = createMonotonicClock();
  const tail = new TailServer(config, clock);
  // Nothing but the virtual server decides when a connection ends: every timeout of Node's is off.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: true });
  server.on("request", (request, response) => tail.onRequest(request, response));
  const port = await listen(server, config).catch((error: unknown) => {
    tail.close();
    throw error;
  });
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    port,
    stats: () => tail.stats(),
    reset: () => tail.reset(),
    close: () => {
      tail.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, config: ServerConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(ServerStartError.from(error, config)));
    server.listen({ host: config.host, port: config.port, backlog: BACKLOG }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}

/** One request and the response to come. */
interface Exchange {
  readonly response: ServerResponse;
  job: Job<Exchange> | undefined;
}

/** Ties the virtual server to sockets and to the clock: requests in, answers out when they are due. */
class TailServer {
  private readonly config: ServerConfig;
  private readonly clock: MonotonicClock;
  private readonly writer: AnswerWriter;
  private readonly sleeper: Sleeper;
  private plannedNs = Number.POSITIVE_INFINITY;
  private readonly open = new Set<Exchange>();
  // These three begin anew at each reset.
  private virtual: VirtualServer<Exchange>;
  private ledger = new Ledger();
  private sinceNs: number;

  constructor(config: ServerConfig, clock: MonotonicClock) {
    this.config = config;
    this.clock = clock;
    this.writer = new AnswerWriter(config.bodyBytes, config.failStatus);
    this.virtual = this.createVirtual();
    this.sinceNs = clock.nowNs();
    this.sleeper = createSleeper(config.pacing, clock, (nowNs) => {
      this.plannedNs = Number.POSITIVE_INFINITY;
      this.virtual.advance(nowNs);
      this.planWake();
    });
  }

  close(): void {
    this.sleeper.close();
    this.open.clear();
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.startsWith(CONTROL_PATH)) {
      request.resume();
      this.control(request, response);
    } else if (hasBody(request)) {
      // A request has arrived once all of it has.
      request.on("end", () => this.arrive(request, response));
      request.resume();
    } else {
      this.arrive(request, response);
    }
  }

  private arrive(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = { response, job: undefined };
    this.open.add(exchange);
    this.ledger.arrived();
    const job = this.virtual.arrive(this.clock.nowNs(), this.keyOf(request), exchange);
    // Ended already: answered on the spot, nothing to wait for.
    if (job.phase !== "gone") {
      exchange.job = job;
      if (!Number.isNaN(job.endNs)) this.writer.prepare(response, job);
      response.on("close", () => this.onClose(exchange));
    }
    this.planWake();
  }

  private keyOf(request: IncomingMessage): string {
    if (this.config.slowBy !== "request") return "";
    const key = request.headers[KEY_HEADER];
    return typeof key === "string" ? key : (request.url ?? "");
  }

  private onEnd(job: Job<Exchange>): void {
    this.ledger.ended(job);
    const exchange = job.owner;
    // Not there any more: the client has hung up, and the work went on.
    if (!this.open.delete(exchange)) return;
    this.writer.send(exchange.response, job);
    if (job.ending.kind !== "reset") this.ledger.answered(job.endNs, this.clock.nowNs());
  }

  private onClose(exchange: Exchange): void {
    if (!this.open.delete(exchange) || exchange.job === undefined) return;
    const stopped = this.config.cancel && this.virtual.cancel(exchange.job, this.clock.nowNs());
    this.ledger.hungUp(stopped);
    this.planWake();
  }

  private planWake(): void {
    const nextNs = this.virtual.nextNs;
    if (nextNs === this.plannedNs) return;
    this.plannedNs = nextNs;
    this.sleeper.wakeAt(nextNs);
  }

  private createVirtual(): VirtualServer<Exchange> {
    return new VirtualServer<Exchange>(this.config, (job) => this.onEnd(job));
  }

  reset(): number {
    const dropped = this.open.size;
    for (const exchange of this.open) exchange.response.socket?.resetAndDestroy();
    this.open.clear();
    this.virtual = this.createVirtual();
    this.ledger = new Ledger();
    this.sinceNs = this.clock.nowNs();
    this.planWake();
    return dropped;
  }

  stats(): ServerStats {
    const nowNs = this.clock.nowNs();
    this.virtual.advance(nowNs);
    return {
      schema: "tailrace/server-stats@1",
      config: this.config,
      elapsedMs: (nowNs - this.sinceNs) / NS_PER_MS,
      counts: this.ledger.counts(),
      waiting: this.virtual.waiting,
      times: this.ledger.times(),
    };
  }

  private control(request: IncomingMessage, response: ServerResponse): void {
    const call = `${request.method} ${request.url?.slice(CONTROL_PATH.length)}`;
    if (call === "GET stats") answerJson(response, 200, this.stats());
    else if (call === "POST reset") answerJson(response, 200, { dropped: this.reset() });
    else answerJson(response, 404, { calls: [`GET ${CONTROL_PATH}stats`, `POST ${CONTROL_PATH}reset`] });
  }
}

function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}

function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(`${JSON.stringify(value)}\n`);
}
