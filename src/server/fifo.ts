/** What a {@link Fifo} needs of its members: room for their neighbours. A member is in one line at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** First in, first out, and anyone may leave early: every operation is O(1). */
export class Fifo<T extends Linked<T>> {
  private head: T | undefined;
  private tail: T | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(member: T): void {
    member.previous = this.tail;
    if (this.tail === undefined) this.head = member;
    else this.tail.next = member;
    this.tail = member;
    this.count++;
  }

  shift(): T | undefined {
    const first = this.head;
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** @param member must be in this line */
  remove(member: T): void {
    if (member.previous === undefined) this.head = member.next;
    else member.previous.next = member.next;
    if (member.next === undefined) this.tail = member.previous;
    else member.next.previous = member.previous;
    member.previous = undefined;
    member.next = undefined;
    this.count--;
  }
}
