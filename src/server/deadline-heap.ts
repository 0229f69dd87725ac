/** What a {@link DeadlineHeap} needs of its members: where they are in it, −1 outside. */
export interface Heaped {
  heapIndex: number;
}

/** Members by deadline, earliest first: a binary heap over a typed array of times. O(log n) to add, pop and remove. */
export class DeadlineHeap<T extends Heaped> {
  private timesNs = new Float64Array(64);
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  /** Nanoseconds; `Infinity` when empty. */
  get earliestNs(): number {
    return this.members.length === 0 ? Number.POSITIVE_INFINITY : this.timesNs[0]!;
  }

  push(member: T, atNs: number): void {
    const index = this.members.length;
    if (index === this.timesNs.length) {
      const wider = new Float64Array(index * 2);
      wider.set(this.timesNs);
      this.timesNs = wider;
    }
    this.members.push(member);
    this.rise(index, member, atNs);
  }

  pop(): T | undefined {
    const first = this.members[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** @param member must be in this heap */
  remove(member: T): void {
    const hole = member.heapIndex;
    member.heapIndex = -1;
    const lastNs = this.timesNs[this.members.length - 1]!;
    const last = this.members.pop()!;
    if (last === member) return;
    // The last one fills the hole; coming from another branch it may belong above it as well as below.
    if (hole > 0 && lastNs < this.timesNs[(hole - 1) >> 1]!) this.rise(hole, last, lastNs);
    else this.sink(hole, last, lastNs);
  }

  private rise(from: number, member: T, atNs: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.timesNs[parent]! <= atNs) break;
      this.place(index, this.members[parent]!, this.timesNs[parent]!);
      index = parent;
    }
    this.place(index, member, atNs);
  }

  private sink(from: number, member: T, atNs: number): void {
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.members.length) break;
      if (child + 1 < this.members.length && this.timesNs[child + 1]! < this.timesNs[child]!) child++;
      if (atNs <= this.timesNs[child]!) break;
      this.place(index, this.members[child]!, this.timesNs[child]!);
      index = child;
    }
    this.place(index, member, atNs);
  }

  private place(index: number, member: T, atNs: number): void {
    this.members[index] = member;
    this.timesNs[index] = atNs;
    member.heapIndex = index;
  }
}
