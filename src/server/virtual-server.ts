import { type ArrivalDraw, createArrivalDraws } from "../random/arrival-draws.js";
import { Admission } from "./admission.js";
import type { Behaviour } from "./behaviour.js";
import { DeadlineHeap } from "./deadline-heap.js";
import { type Freezes, NEVER_FROZEN, PeriodicFreezes } from "./freezes.js";
import { type Ending, Job } from "./job.js";
import { OVERLOAD_WAITING_PER_WORKER, OverloadMemory } from "./overload.js";
import { Queue } from "./queue.js";
import { ServiceTimes } from "./service.js";

/**
 * The tail server without sockets and without a clock: arrival → draw → admission → service → queue → ending, every
 * step at a time the caller names. Times may not go back from one call to the next.
 */
export class VirtualServer<Owner> {
  private readonly behaviour: Behaviour;
  private readonly onEnd: (job: Job<Owner>) => void;
  private readonly nextDraw: (key: string) => ArrivalDraw;
  private readonly freezes: Freezes;
  private readonly overload: OverloadMemory;
  private readonly admission: Admission;
  private readonly serviceTimes: ServiceTimes;
  private readonly queue: Queue<Owner>;
  /** Turned away during a freeze: nobody hears of it before the thaw. */
  private readonly refused = new DeadlineHeap<Job<Owner>>();

  /** @param onEnd called once for every job not cancelled, at its end, out of `arrive`, `cancel` or `advance` */
  constructor(behaviour: Behaviour, onEnd: (job: Job<Owner>) => void) {
    this.behaviour = behaviour;
    this.onEnd = onEnd;
    this.nextDraw = createArrivalDraws(behaviour, behaviour.seed);
    this.freezes =
      behaviour.stallEveryNs > 0 ? new PeriodicFreezes(behaviour.stallEveryNs, behaviour.stallNs) : NEVER_FROZEN;
    this.overload = new OverloadMemory(behaviour.afterOverloadNs, behaviour.afterOverloadFactor);
    this.admission = new Admission(behaviour.limitPerS, behaviour.queueLimit);
    this.serviceTimes = new ServiceTimes(behaviour);
    this.queue = new Queue<Owner>(behaviour.workers, this.freezes, onEnd);
  }

  get waiting(): number {
    return this.queue.waiting;
  }

  /** When `advance` next has something to do; `Infinity` for never. */
  get nextNs(): number {
    return Math.min(this.queue.nextNs, this.refused.earliestNs);
  }

  /**
   * @param key identifies the request, not the arrival: for slowness by request
   * @param owner whatever the caller wants to find again in the job
   */
  arrive(nowNs: number, key: string, owner: Owner): Job<Owner> {
    this.advance(nowNs);
    this.freezes.anchor(nowNs);
    const job = new Job(owner, nowNs, this.nextDraw(key));
    const refusal = this.admission.refusal(nowNs, this.queue);
    this.noteOverload(nowNs, refusal);
    if (refusal === undefined) this.admit(job, nowNs);
    else this.refuse(job, refusal, nowNs);
    this.advance(nowNs);
    return job;
  }

  /** The client has hung up: its work stops. @returns whether there was any left to stop. */
  cancel(job: Job<Owner>, nowNs: number): boolean {
    this.advance(nowNs);
    if (job.phase === "gone") return false;
    if (job.phase === "refused") {
      job.phase = "gone";
      this.refused.remove(job);
    } else {
      this.queue.cancel(job, nowNs);
      this.advance(nowNs);
    }
    return true;
  }

  /** Handles all that was due up to and at `nowNs`. */
  advance(nowNs: number): void {
    this.queue.advance(nowNs);
    while (this.refused.size > 0 && this.refused.earliestNs <= nowNs) {
      const job = this.refused.pop()!;
      job.phase = "gone";
      this.onEnd(job);
    }
  }

  private noteOverload(nowNs: number, refusal: Ending | undefined): void {
    const crowded = this.queue.waiting > OVERLOAD_WAITING_PER_WORKER * this.behaviour.workers;
    if (refusal !== undefined || crowded) this.overload.note(nowNs);
  }

  private admit(job: Job<Owner>, nowNs: number): void {
    const { draw } = job;
    const { inSystem } = this.queue;
    job.workNs = this.serviceTimes.workNs(draw, {
      inSystem,
      idleNs: inSystem > 0 ? 0 : nowNs - this.queue.idleSinceNs,
      overloadFactor: this.overload.factor(nowNs),
    });
    if (draw.locks) job.lockNs = this.behaviour.lockNs;
    // Failures and resets show at the end of the work: they cost as much as an answer.
    if (draw.resets) job.ending = { kind: "reset" };
    else if (draw.fails) job.ending = { kind: "failed" };
    this.queue.arrive(job, nowNs);
  }

  private refuse(job: Job<Owner>, refusal: Ending, nowNs: number): void {
    job.ending = refusal;
    job.phase = "refused";
    job.startNs = this.freezes.thawedNs(nowNs);
    job.endNs = job.startNs;
    this.refused.push(job, job.endNs);
  }
}
