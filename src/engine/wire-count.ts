/**
 * Requests on the wire, a number for each worker in memory they share: whether a request is alone is a question to all of
 * them. Each worker writes its own number only.
 */
export class WireCount {
  private readonly counts: Int32Array;
  private readonly own: number;

  constructor(memory: SharedArrayBuffer, worker: number) {
    this.counts = new Int32Array(memory);
    this.own = worker;
  }

  went(): void {
    this.counts[this.own]!++;
  }

  left(): void {
    this.counts[this.own]!--;
  }

  /** Only one request of any worker is on the wire. */
  get alone(): boolean {
    let total = 0;
    for (let worker = 0; worker < this.counts.length; worker++) total += this.counts[worker]!;
    return total === 1;
  }
}
