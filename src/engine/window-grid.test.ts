import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CellLog, LATENCY_LAYOUT } from "../hdr/index.js";
import type { MeasuredWindow } from "../record/measurement.js";
import { countOf } from "../stats/summary.js";
import type { WindowCounts } from "./messages.js";
import { WindowGrid } from "./window-grid.js";
import { OpenWindow } from "./windows.js";

const scratch = new Int32Array(LATENCY_LAYOUT.countsLength);
const MS = 1e6;
const WIDTH_MS = 50;

interface Part extends Partial<Omit<WindowCounts, "index">> {
  readonly index: number;
  /** Response and service times in ms. */
  readonly times?: readonly number[];
}

/** A worker's window, as it hands it in. */
function handedIn({ times = [], ...counts }: Part): WindowCounts {
  const log = new CellLog(LATENCY_LAYOUT);
  for (const ms of times) log.record(ms * MS);
  const known = { response: log.cells(scratch), service: log.cells(scratch) };
  const n = times.length;
  return { ...new OpenWindow(counts.index).counts(scratch), scheduled: n, ok: n, sent: n, ...known, ...counts };
}

function measured(parts: readonly Part[], warmupMs = 0): MeasuredWindow[] {
  const grid = new WindowGrid(WIDTH_MS);
  for (const part of parts) grid.add(handedIn(part));
  return grid.measured(warmupMs);
}

const total = (windows: readonly MeasuredWindow[], of: (window: MeasuredWindow) => number) =>
  windows.reduce((sum, window) => sum + of(window), 0);

describe("the grid of a run's windows", () => {
  it("adds what the workers have of one window", () => {
    const one = { index: 2, times: [5, 6], pauses: 1, pausedNs: 2 * MS, longestPauseNs: 2 * MS, inFlightNs: 11 * MS };
    const two = { index: 2, times: [7], pauses: 2, pausedNs: 4 * MS, longestPauseNs: 3 * MS, inFlightNs: 7 * MS };
    const [, , both] = measured([
      { ...one, inFlightAtStart: 1, inFlightAtEnd: 2 },
      { ...two, errors: 1, scheduled: 3, sent: 2, serviceFailed: 1, inFlightAtStart: 3, inFlightAtEnd: 4 },
    ]);
    expect(both).toMatchObject({
      startMs: 100,
      widthMs: 50,
      warmup: false,
      requests: { scheduled: 5, ok: 3, errors: 1, timeouts: 0, unfinished: 0, sent: 4, unsent: 1 },
      pauses: { count: 3, totalMs: 6, maxMs: 3 },
      inFlight: { atStart: 4, atEnd: 6, meanOverWindow: 18 / 50 },
    });
    expect([countOf(both!.response), both!.response.failed, both!.response.known.total]).toEqual([4, 1, 3]);
    expect([countOf(both!.service), both!.service.failed]).toEqual([4, 1]);
  });

  it("runs from the schedule's start to the last window with a request, those without filled in", () => {
    const windows = measured(
      [
        { index: -3, times: [1] },
        { index: 2, times: [1] },
        { index: 4, pauses: 1, pausedNs: MS, longestPauseNs: MS },
      ],
      120,
    );
    expect(windows.map(({ startMs, warmup, requests }) => [startMs, warmup, requests.scheduled])).toEqual([
      [-30, true, 1],
      [20, true, 0],
      [70, true, 0],
      [120, false, 0],
      [170, false, 0],
      [220, false, 1],
    ]);
    expect(measured([{ index: 5, times: [1] }])).toHaveLength(6);
    expect(measured([{ index: 5, pauses: 1 }])).toEqual([]);
    expect(measured([])).toEqual([]);
  });

  it("keeps 512 of them, and twice as wide ones past that", () => {
    const windows = (n: number) => measured(Array.from({ length: n }, (_, index) => ({ index, times: [1] })));
    expect(windows(512)).toHaveLength(512);
    expect(windows(512)[0]).toMatchObject({ widthMs: 50, requests: { scheduled: 1 } });
    expect(windows(513)).toHaveLength(257);
    expect(windows(513)[0]).toMatchObject({ widthMs: 100, requests: { scheduled: 2 } });
    expect(measured([{ index: 512, times: [1] }])).toHaveLength(257);
    expect(windows(1025)).toHaveLength(257);
    expect(windows(1025)[0]).toMatchObject({ widthMs: 200, requests: { scheduled: 4 } });
  });

  it("takes the outer edges of neighbours it adds, whichever comes first", () => {
    const far = { index: 1030, times: [1] };
    const early = { index: 4, times: [1], inFlightAtStart: 10, inFlightAtEnd: 20 };
    const late = { index: 7, times: [1], inFlightAtStart: 30, inFlightAtEnd: 40 };
    const other = { index: 7, times: [1], inFlightAtStart: 1, inFlightAtEnd: 2 };
    for (const parts of [
      [far, early, late, other],
      [late, far, other, early],
      [other, late, early, far],
    ]) {
      expect(measured(parts)[1]).toMatchObject({ startMs: 200, widthMs: 200, inFlight: { atStart: 10, atEnd: 42 } });
    }
  });

  const parts: fc.Arbitrary<Part[]> = fc.array(
    fc.record({
      index: fc.oneof(fc.integer({ min: -700, max: 3000 }), fc.integer({ min: -5, max: 5 })),
      times: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 3 }),
      inFlightNs: fc.nat(1e6),
      inFlightAtStart: fc.nat(9),
      inFlightAtEnd: fc.nat(9),
      pauses: fc.nat(2),
    }),
    { maxLength: 40 },
  );

  it("loses nothing, moves nothing over the warm-up's end, and is the same in whatever order they come", () => {
    fc.assert(
      fc.property(parts, fc.integer(), (all, seed) => {
        const windows = measured(all, 10_000);
        const requests = (some: readonly Part[]) => some.reduce((sum, { times }) => sum + times!.length, 0);
        expect(windows.length).toBeLessThanOrEqual(512);
        expect(total(windows, ({ requests }) => requests.scheduled)).toBe(requests(all));
        expect(total(windows, ({ response }) => countOf(response))).toBe(requests(all));
        const warm = windows.filter(({ warmup }) => warmup);
        expect(total(warm, ({ requests }) => requests.scheduled)).toBe(requests(all.filter(({ index }) => index < 0)));
        expect(total(windows, ({ inFlight, widthMs }) => inFlight.meanOverWindow * widthMs)).toBeCloseTo(
          all.reduce((sum, { inFlightNs }) => sum + inFlightNs! / MS, 0),
          6,
        );
        for (const [i, { startMs, widthMs, warmup }] of windows.entries()) {
          expect(warmup).toBe(startMs < 10_000);
          if (i > 0) expect(startMs).toBe(windows[i - 1]!.startMs + widthMs);
        }
        const shuffled = all.toSorted((a, b) => ((a.index * 7919 + seed) % 101) - ((b.index * 7919 + seed) % 101));
        const plain = (list: readonly MeasuredWindow[]) =>
          list.map(({ response, service, ...rest }) => ({ ...rest, n: [countOf(response), countOf(service)] }));
        expect(plain(measured(shuffled, 10_000))).toEqual(
          plain(windows).map((window) => ({
            ...window,
            inFlight: {
              ...window.inFlight,
              meanOverWindow: expect.closeTo(window.inFlight.meanOverWindow, 9) as number,
            },
          })),
        );
      }),
      { numRuns: 60 },
    );
  });
});
