import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WindowCounts } from "./messages.js";
import { Windows } from "./windows.js";

const START = 1_000_000;
const WIDTH = 100;

/** A request in ns from the start: when it was meant to go out, how late that was noticed, how long after that it ended. */
interface Life {
  readonly intended: number;
  readonly late: number;
  readonly lasts: number;
}

interface Event {
  readonly at: number;
  readonly happen: (now: number) => void;
}

/** Leads lives through the windows as a worker does, in order of time. */
function lead(lives: readonly Life[], warmup: number, looksAt: (event: number) => boolean) {
  const left: WindowCounts[] = [];
  const windows = new Windows(START, START + warmup, WIDTH, (window) => left.push(window));
  const sorted = lives.toSorted((a, b) => a.intended - b.intended);
  let noticed = START;
  const events: Event[] = [];
  const begun = sorted.map((life) => {
    // They are noticed in the order of their intended times.
    noticed = Math.max(noticed, START + life.intended + life.late);
    return noticed;
  });
  const ends = begun.map((at, i) => at + sorted[i]!.lasts);
  let next = 0;
  for (const [i, { intended }] of sorted.entries()) {
    let index = 0;
    events.push({
      at: begun[i]!,
      happen: (now) => {
        const window = windows.at(START + intended);
        index = window.index;
        window.scheduled++;
        window.outstanding++;
        windows.began(now, now - START - intended);
        next = i + 1;
      },
    });
    events.push({
      at: ends[i]!,
      happen: (now) => {
        const window = windows.get(index);
        window.outstanding--;
        window.ok++;
        windows.ended(now);
      },
    });
  }
  for (const [n, { at, happen }] of events.toSorted((a, b) => a.at - b.at).entries()) {
    happen(at);
    const scheduled = next < sorted.length ? START + sorted[next]!.intended : Number.POSITIVE_INFINITY;
    if (looksAt(n)) windows.advance(at, scheduled, 0);
  }
  const end = Math.max(START, ...ends);
  windows.finish(end);
  return { left, windows, begun, ends, sorted, end };
}

const sum = (windows: readonly WindowCounts[], of: (window: WindowCounts) => number) =>
  windows.reduce((total, window) => total + of(window), 0);

const lives = fc.array(
  fc.record({ intended: fc.nat(2000), late: fc.nat(150), lasts: fc.integer({ min: 1, max: 700 }) }),
  { maxLength: 40 },
);

describe("the windows of a worker", () => {
  it("hold each request once, by its intended time, and leave once each", () => {
    fc.assert(
      fc.property(lives, fc.constantFrom(0, 250), fc.nat(3), (all, warmup, every) => {
        const { left } = lead(all, warmup, (n) => n % (every + 1) === 0);
        expect(new Set(left.map(({ index }) => index)).size).toBe(left.length);
        for (const window of left) {
          const mine = all.filter(({ intended }) => Math.floor((intended - warmup) / WIDTH) === window.index);
          expect([window.scheduled, window.ok]).toEqual([mine.length, mine.length]);
        }
        expect(sum(left, ({ scheduled }) => scheduled)).toBe(all.length);
      }),
    );
  });

  it("obey Little's law to the nanosecond: the integral of those in flight is the sum of their times", () => {
    fc.assert(
      fc.property(lives, fc.constantFrom(0, 250), fc.nat(3), (all, warmup, every) => {
        const { left, windows, sorted, ends } = lead(all, warmup, (n) => n % (every + 1) === 0);
        const times = sorted.reduce((total, { intended }, i) => total + ends[i]! - START - intended, 0);
        expect(windows.inFlightNs).toBe(times);
        expect(sum(left, ({ inFlightNs }) => inFlightNs)).toBe(times);
        expect(windows.inFlight).toBe(0);
      }),
    );
  });

  it("know how many were in flight at their edges, and agree on it", () => {
    fc.assert(
      fc.property(lives, fc.nat(3), (all, every) => {
        const { left, begun, ends, end } = lead(all, 0, (n) => n % (every + 1) === 0);
        const at = (ns: number) => begun.filter((begin, i) => begin < ns && ends[i]! >= ns).length;
        for (const { index, inFlightAtStart, inFlightAtEnd } of left) {
          const startNs = START + index * WIDTH;
          if (index > 0) expect(inFlightAtStart).toBe(at(startNs));
          if (startNs + WIDTH <= end) expect(inFlightAtEnd).toBe(at(startNs + WIDTH));
        }
      }),
    );
  });

  it("have a window's area within it where requests are noticed in time", () => {
    const { left } = lead([{ intended: 50, late: 0, lasts: 300 }], 0, () => true);
    expect(left.toSorted((a, b) => a.index - b.index).map(({ inFlightNs }) => inFlightNs)).toEqual([50, 100, 100, 50]);
  });
});

describe("a window leaves", () => {
  const setUp = () => {
    const left: number[] = [];
    const windows = new Windows(START, START, WIDTH, ({ index }) => left.push(index));
    const begin = (ns: number) => {
      const window = windows.at(START + ns);
      window.scheduled++;
      window.outstanding++;
      windows.began(START + ns, 0);
    };
    const end = (index: number, ns: number) => {
      windows.get(index).outstanding--;
      windows.ended(START + ns);
    };
    return { left, windows, begin, end };
  };

  it("once its time is over, the schedule is past it and all its requests have ended", () => {
    const { left, windows, begin, end } = setUp();
    begin(10);
    windows.advance(START + 110, START + 120, 0);
    expect(left).toEqual([]);
    end(0, 120);
    windows.advance(START + 130, START + 190, 0);
    expect(left).toEqual([]);
    windows.advance(START + 210, START + 190, 0);
    // Window 1 must wait: a request of its time is still to be let in.
    expect(left).toEqual([0]);
    windows.advance(START + 310, START + 350, 0);
    expect(left).toEqual([0, 1, 2]);
  });

  it("also where requests come and go so often that one of them is always the first to see a window end", () => {
    const { left, windows, begin, end } = setUp();
    for (let ns = 0; ns < 1000; ns += 20) {
      begin(ns);
      end(Math.floor(ns / WIDTH), ns + 5);
      windows.advance(START + ns + 5, START + ns + 20, 0);
    }
    expect(left).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("with all others at the end", () => {
    const { left, windows, begin } = setUp();
    begin(10);
    begin(150);
    windows.finish(START + 250);
    expect(new Set(left)).toEqual(new Set([0, 1, 2]));
  });
});

describe("an edge passed while requests were held back", () => {
  it("counts them, on both its sides", () => {
    const left: WindowCounts[] = [];
    const windows = new Windows(START, START, WIDTH, (window) => left.push(window));
    windows.at(START).outstanding++;
    windows.began(START, 0);
    windows.advance(START + 50, START + 20, 9);
    windows.advance(START + 105, START + 20, 3);
    windows.advance(START + 110, START + 20, 4);
    windows.finish(START + 150);
    expect(left.map(({ inFlightAtStart, inFlightAtEnd }) => [inFlightAtStart, inFlightAtEnd])).toEqual([
      [0, 4],
      [4, 0],
    ]);
  });
});

describe("a pause", () => {
  it("belongs to the window in which it was noticed, which keeps their number, sum and longest", () => {
    const left: WindowCounts[] = [];
    const windows = new Windows(START, START, WIDTH, (window) => left.push(window));
    windows.paused(START + 50, 30);
    windows.paused(START + 90, 10);
    windows.paused(START + 110, 40);
    windows.finish(START + 120);
    expect(left.map(({ pauses, pausedNs, longestPauseNs }) => [pauses, pausedNs, longestPauseNs])).toEqual([
      [2, 40, 30],
      [1, 40, 40],
    ]);
  });
});
