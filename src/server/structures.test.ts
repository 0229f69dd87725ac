import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeadlineHeap } from "./deadline-heap.js";
import { Fifo, type Linked } from "./fifo.js";

interface Member extends Linked<Member> {
  readonly name: number;
  heapIndex: number;
}

const member = (name: number): Member => ({ name, heapIndex: -1, previous: undefined, next: undefined });

/** A number from 0 up adds a member with it; −1 takes the first; −2 takes one out of the middle. */
const operations = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.constantFrom(-1, -2) }),
  { maxLength: 300 },
);

describe("Fifo", () => {
  it("behaves as an array does", () => {
    fc.assert(
      fc.property(operations, (steps) => {
        const fifo = new Fifo<Member>();
        const model: Member[] = [];
        for (const step of steps) {
          const middle = model[model.length >> 1];
          if (step >= 0) {
            const added = member(step);
            fifo.push(added);
            model.push(added);
          } else if (step === -1) {
            expect(fifo.shift()).toBe(model.shift());
          } else if (middle !== undefined) {
            fifo.remove(middle);
            model.splice(model.length >> 1, 1);
          }
          expect(fifo.size).toBe(model.length);
        }
        while (model.length > 0) expect(fifo.shift()).toBe(model.shift());
        expect(fifo.shift()).toBeUndefined();
      }),
    );
  });
});

describe("DeadlineHeap", () => {
  it("gives its members in order of time, whoever is taken out in between", () => {
    fc.assert(
      fc.property(operations, (steps) => {
        const heap = new DeadlineHeap<Member>();
        const model: Member[] = [];
        const earliest = () => model.reduce((least, { name }) => Math.min(least, name), Number.POSITIVE_INFINITY);
        const forget = (gone: Member) => {
          expect(gone.heapIndex).toBe(-1);
          model.splice(model.indexOf(gone), 1);
        };
        for (const step of steps) {
          const middle = model[model.length >> 1];
          if (step >= 0) {
            const added = member(step);
            heap.push(added, step);
            model.push(added);
          } else if (step === -1) {
            const first = heap.pop();
            expect(first?.name ?? Number.POSITIVE_INFINITY).toBe(earliest());
            if (first !== undefined) forget(first);
          } else if (middle !== undefined) {
            heap.remove(middle);
            forget(middle);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.earliestNs).toBe(earliest());
        }
      }),
    );
  });
});
