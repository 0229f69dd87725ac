import type { ArrivalDraw } from "../random/arrival-draws.js";

/** Where a job is. `refused` ones never enter the queue; `gone` is the end of all. */
export type JobPhase = "new" | "refused" | "waiting" | "wants-mutex" | "holds-mutex" | "working" | "gone";

/** How a job ends. `retryAfterS` in whole seconds, as the header has it. */
export type Ending =
  | { readonly kind: "served" }
  | { readonly kind: "failed" }
  | { readonly kind: "reset" }
  | { readonly kind: "over-limit"; readonly retryAfterS: number }
  | { readonly kind: "queue-full" };

/** One request on its way through the virtual server. Times are clock readings in nanoseconds. */
export class Job<Owner> {
  readonly owner: Owner;
  readonly arrivedNs: number;
  readonly draw: ArrivalDraw;
  ending: Ending = { kind: "served" };
  phase: JobPhase = "new";
  /** Work to be done under the mutex, and after it. Active time: a freeze stretches both. */
  lockNs = 0;
  workNs = 0;
  /** When it had all it needs, a worker and where asked for the mutex, and the server ran. */
  startNs = Number.NaN;
  /** When it ends, known from its start on. */
  endNs = Number.NaN;
  // Its place in the queue's own structures.
  previous: Job<Owner> | undefined = undefined;
  next: Job<Owner> | undefined = undefined;
  heapIndex = -1;

  constructor(owner: Owner, arrivedNs: number, draw: ArrivalDraw) {
    this.owner = owner;
    this.arrivedNs = arrivedNs;
    this.draw = draw;
  }
}
