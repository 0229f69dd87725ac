// What the single steps of a request cost: ns each, in loops on one core.
//
//     npm run bench:micro

import { createMonotonicClock } from "../dist/clock/monotonic.js";
import { HeadMemory } from "../dist/driver/http1/head-memory.js";
import { ResponseParser } from "../dist/driver/http1/parser.js";
import {
  CellLog,
  Histogram,
  histogramFromBase64,
  histogramToBase64,
  LATENCY_LAYOUT,
  SparseHistogram,
} from "../dist/hdr/index.js";
import { createRandom } from "../dist/random/random.js";
import { openSchedule } from "../dist/schedule/schedule.js";
import { publish } from "./support/results.mjs";
import { timeOne } from "./support/stopwatch.mjs";

const RECORD_LIMIT_NS = 15;
const SEED = 1;
const MS = 1e6;
/** Values are drawn beforehand; a power of two of them, so that going round costs one `&`. */
const VALUES = 1 << 16;
const random = createRandom(SEED, "bench");
const uniform = () => random.uniform();
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

const RANGES = new Map(
  Object.entries({
    "exponential, mean 10 ms": () => -Math.log(uniform()) * 10 * MS,
    "5 ms ± 0.05": () => (5 + (uniform() - 0.5) / 10) * MS,
    "lognormal, 0.1 to 10 ms": () => MS * Math.exp(0.8 * normal()),
    "uniform to 10 s": () => uniform() * 10_000 * MS,
    "uniform to 50 min": () => uniform() * 3_000_000 * MS,
  }),
);

/** @type {{ step: string, unit: string, medianNs: number, bestNs: number }[]} */
const steps = [];
/** @param {string} step @param {(times: number) => unknown} repeat @param {{ per?: number, unit?: string }} [of] */
function time(step, repeat, { per = 1, unit = "ns" } = {}) {
  const { medianNs, bestNs } = timeOne(repeat);
  steps.push({ step, unit, medianNs: medianNs / per, bestNs: bestNs / per });
}

recording();
adding();
encoding();
drawing();
exchanging();

const records = steps.filter(({ step }) => step.startsWith("record"));
const slowestNs = Math.max(...records.map(({ medianNs }) => medianNs));
publish({
  name: "micro",
  about: "CPU time of one step, in loops of some 10 ms: median and best of 25.",
  table: [
    ["step", "median", "best"],
    ...steps.map(({ step, unit, medianNs, bestNs }) => [step, text(medianNs, unit), text(bestNs, unit)]),
  ],
  claims: [
    {
      claim: `at most ${RECORD_LIMIT_NS} ns a record`,
      measured: `${slowestNs.toFixed(1)} ns (the slowest median)`,
      holds: slowestNs <= RECORD_LIMIT_NS,
    },
  ],
  raw: { steps },
});

/** @param {number} ns @param {string} unit */
function text(ns, unit) {
  return unit === "µs" ? `${(ns / 1000).toFixed(1)} µs` : `${ns.toFixed(1)} ns`;
}

function recording() {
  for (const [range, draw] of RANGES) {
    const values = Float64Array.from({ length: VALUES }, () => Math.floor(draw()));
    for (const [memory, histogram] of /** @type {const} */ ([
      ["own", new Histogram()],
      ["shared", new Histogram(LATENCY_LAYOUT, new SharedArrayBuffer(Histogram.bytesFor(LATENCY_LAYOUT)))],
    ])) {
      time(`record, ${memory} memory, ${range}`, (times) => recordAll(histogram, values, times));
    }
  }
  const values = drawn("exponential, mean 10 ms", VALUES);
  time(`note in a window's log (new log every ${VALUES})`, (times) => {
    let log = new CellLog(LATENCY_LAYOUT);
    for (let i = 0; i < times; i++) {
      if ((i & (VALUES - 1)) === 0) log = new CellLog(LATENCY_LAYOUT);
      log.record(values[i & (VALUES - 1)]);
    }
    return log;
  });
}

/** A function of its own: as in a run, the histogram is no constant to the compiler. @param {Histogram} histogram @param {Float64Array} values @param {number} times */
function recordAll(histogram, values, times) {
  for (let i = 0; i < times; i++) histogram.record(values[i & (VALUES - 1)]);
  return histogram;
}

function adding() {
  const sum = new Histogram();
  const dense = filled(100_000);
  const window = SparseHistogram.from(filled(1000));
  time("add dense to dense", (times) => loop(times, () => sum.add(dense)), { unit: "µs" });
  time("add a window of 1,000 to dense", (times) => loop(times, () => sum.add(window)), { unit: "µs" });
  const sparseSum = SparseHistogram.from(dense);
  time("add a window of 1,000 to a sparse sum", (times) => loop(times, () => sparseSum.add(window)), { unit: "µs" });
}

function encoding() {
  for (const n of [100, 1000, 1_000_000]) {
    const histogram = SparseHistogram.from(filled(n));
    const encoded = histogramToBase64(histogram);
    const what = `${n} values (${histogram.cells.indices.length} cells, ${encoded.length} characters)`;
    time(`encode ${what}`, (times) => loop(times, () => histogramToBase64(histogram)), { unit: "µs" });
    time(`decode ${what}`, (times) => loop(times, () => histogramFromBase64(encoded)), { unit: "µs" });
  }
}

function drawing() {
  time("draw a uniform number", (times) => {
    let sum = 0;
    for (let i = 0; i < times; i++) sum += uniform();
    return sum;
  });
  const chunk = new Float64Array(512);
  for (const arrivals of /** @type {const} */ (["poisson", "constant"])) {
    const schedule = openSchedule({
      arrivals,
      ratePerS: 10_000,
      seed: SEED,
      durationNs: Number.POSITIVE_INFINITY,
      requests: Number.POSITIVE_INFINITY,
      share: { index: 0, of: 1 },
    });
    time(`next ${arrivals} arrival`, (times) => loop(times, () => schedule.next(chunk)), { per: chunk.length });
  }
}

function exchanging() {
  const clock = createMonotonicClock();
  time("read the clock", (times) => {
    let sum = 0;
    for (let i = 0; i < times; i++) sum += clock.nowNs();
    return sum;
  });
  const dates = ["10", "11"].map(nginxAnswer);
  for (const [what, answers] of /** @type {const} */ ([
    ["with the head of the one before", [dates[0], dates[0]]],
    ["with a new head each time", dates],
  ])) {
    const parser = new ResponseParser(new HeadMemory());
    time(`read nginx's answer of ${dates[0].length} bytes, ${what}`, (times) => {
      let bodyBytes = 0;
      for (let i = 0; i < times; i++) {
        const answer = answers[i & 1];
        parser.begin(false);
        parser.feed(answer, 0, answer.length);
        bodyBytes += parser.bodyBytes;
      }
      if (!parser.done || bodyBytes === 0) throw new Error("the answer was not understood");
      return bodyBytes;
    });
  }
}

/** @param {string} second */
function nginxAnswer(second) {
  const head = [
    "HTTP/1.1 200 OK",
    "Server: nginx/1.22.1",
    `Date: Tue, 01 Dec 2026 12:00:${second} GMT`,
    "Content-Type: application/octet-stream",
    "Content-Length: 600",
    "Connection: keep-alive",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${"x".repeat(600)}`);
}

/** @param {string} range @param {number} n */
function drawn(range, n) {
  const draw = RANGES.get(range) ?? (() => Number.NaN);
  return Float64Array.from({ length: n }, () => Math.floor(draw()));
}

/** @param {number} n */
function filled(n) {
  const histogram = new Histogram();
  for (const value of drawn("lognormal, 0.1 to 10 ms", n)) histogram.record(value);
  return histogram;
}

/** @param {number} times @param {() => unknown} once */
function loop(times, once) {
  let result;
  for (let i = 0; i < times; i++) result = once();
  return result;
}
