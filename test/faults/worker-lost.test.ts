import { describe, expect, it } from "vitest";
import { createMonotonicClock } from "../../src/clock/monotonic.js";
import { createSleeper } from "../../src/clock/sleeper.js";
import type { Driver } from "../../src/driver/driver.js";
import { parseTarget } from "../../src/driver/endpoint.js";
import { createHttp1Driver } from "../../src/driver/http1/http1.js";
import { measure } from "../../src/engine/coordinator.js";
import type { FromWorker, Job, ToWorker } from "../../src/engine/messages.js";
import { RequestLoop } from "../../src/engine/request-loop.js";
import type { OpenWorker, WorkerListener } from "../../src/engine/worker-link.js";
import { writeRun } from "../../src/format/write-run.js";
import type { Plan } from "../../src/plan/plan.js";
import { resolvePlan } from "../../src/plan/resolve.js";
import { summaryText } from "../../src/report/summary-text.js";
import { conclude } from "../../src/verdict/conclude.js";
import { answer, badServer } from "../support/bad-server.js";
import { recordOf } from "../support/record.js";

function planFor(url: string, threads: string): Plan {
  const flags = { url, rate: "400", duration: "1s", threads, pacing: "spin", seed: "1" };
  const resolution = resolvePlan(flags, {
    environment: {},
    descriptorLimit: 1024,
    freshSeed: 1,
    ownHosts: [],
    parseUrl: parseTarget,
  });
  if (!resolution.ok) throw new Error(resolution.problems.join("; "));
  return resolution.plan;
}

/** A worker in this very thread, over a channel as blind as a real one: it can be made to fall silent like a crashed thread. */
class LocalWorker {
  private readonly listener: WorkerListener;
  private readonly clock = createMonotonicClock();
  private loop: RequestLoop | undefined;
  private driver: Driver | undefined;
  private closeSleeper = () => {};
  private lost = false;

  constructor(listener: WorkerListener) {
    this.listener = listener;
  }

  receive(message: ToWorker): void {
    if (this.lost) return;
    if (message.type === "plan") this.begin(message.job);
    else if (message.type === "start") this.loop?.start(message.atNs);
    else if (message.what === "schedule") this.loop?.stopSchedule();
    else this.loop?.stopNow();
  }

  private begin(job: Job): void {
    this.loop = new RequestLoop(job, {
      clock: this.clock,
      driver: (listener) => {
        this.driver = createHttp1Driver(job.endpoint, listener, this.clock);
        return this.driver;
      },
      sleeper: (onWake) => {
        const sleeper = createSleeper(job.pacing, this.clock, onWake);
        this.closeSleeper = () => sleeper.close();
        return sleeper;
      },
      send: (message) => this.say(message),
    });
    this.loop.arm();
  }

  private say(message: FromWorker): void {
    const copy = structuredClone(message);
    queueMicrotask(() => {
      if (!this.lost) this.listener.onMessage(copy);
    });
  }

  /** Everything it was doing stops where it is; only its shared memory is left. */
  crash(reason: string): void {
    this.lost = true;
    this.closeSleeper();
    this.driver?.close();
    this.listener.onLost(reason);
  }
}

/** Opens local workers; the first crashes when the server has seen `requests`. */
function crashing(when: () => boolean): OpenWorker {
  let opened = 0;
  return (listener) => {
    const worker = new LocalWorker(listener);
    if (opened++ === 0) {
      const watch = setInterval(() => {
        if (!when()) return;
        clearInterval(watch);
        worker.crash("out of memory");
      }, 5);
    }
    return {
      send: (message) => queueMicrotask(() => worker.receive(structuredClone(message))),
      terminate: () => {},
    };
  };
}

const carryOut = (plan: Plan, openWorker: OpenWorker) =>
  measure(plan, {
    tool: { name: "tailrace", version: "test" },
    descriptorLimit: 1024,
    stopSchedule: new AbortController().signal,
    stopNow: new AbortController().signal,
    openWorker,
  });

describe("a worker that is lost", () => {
  it.each(["1", "2"])("(of %s) leaves what it had counted, labelled and of no use for a claim", async (threads) => {
    const server = await badServer((socket) => socket.write(answer()));
    const plan = planFor(server.url, threads);
    const measurement = await carryOut(
      plan,
      crashing(() => server.seen.requests > 100),
    );
    const record = recordOf(writeRun(conclude(measurement)));
    expect(record.ended).toEqual({ how: "worker-lost", reason: "worker 1 was lost: out of memory" });
    const { scheduled, ok, errors, timeouts, unfinished, sent, unsent } = record.requests;
    expect(ok).toBeGreaterThan(50);
    expect(ok + errors + timeouts + unfinished).toBe(scheduled);
    expect(sent + unsent).toBe(scheduled);
    expect(unfinished).toBeGreaterThanOrEqual(0);
    // Cut there: the other did not go on to the end.
    expect(scheduled).toBeLessThan(350);
    expect(record.latency.response?.n).toBeGreaterThan(50);
    expect(record.verdict.status).toBe("invalid");
    const text = summaryText(record).replace(/\s+/g, " ");
    expect(text).toContain("a worker was lost after");
    expect(text).toContain("worker 1 was lost: out of memory");
  });

  it("before it was ready ends the run, which has nothing to show", async () => {
    const server = await badServer((socket) => socket.write(answer()));
    const record = conclude(
      await carryOut(
        planFor(server.url, "2"),
        crashing(() => true),
      ),
    );
    expect(record.ended.how).toBe("worker-lost");
    expect(record.verdict.status).toBe("invalid");
    expect(summaryText(record)).toContain("scheduled =");
  });
});
