import fc from "fast-check";
import { zlibSync } from "fflate";
import * as hdr from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import { base64ToBytes, bytesToBase64 } from "./base64.js";
import {
  compressHistogram,
  decodeHistogram,
  encodeHistogram,
  histogramFromBase64,
  histogramToBase64,
} from "./codec.js";
import { HdrFormatError } from "./format-error.js";
import { cellsOf, type Oracle, oracleCells, oracleOf, samples } from "./hdr.testkit.js";
import { Histogram } from "./histogram.js";
import { inflate } from "./inflate.js";
import { LATENCY_LAYOUT, Layout } from "./layout.js";
import { SparseHistogram } from "./sparse.js";

function recorded(values: readonly number[], layout = LATENCY_LAYOUT): Histogram {
  const histogram = new Histogram(layout);
  for (const value of values) histogram.record(value);
  return histogram;
}

const TYPICAL = recorded(Array.from({ length: 500 }, (_, i) => Math.round(1e6 * 1.01 ** i)));

function expectRefusal(attempt: () => unknown, message: RegExp): void {
  expect(attempt).toThrow(HdrFormatError);
  expect(attempt).toThrow(message);
}

/** The result, or nothing where the input is refused. Any other error is one. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof HdrFormatError) return undefined;
    throw error;
  }
}

describe("V2", () => {
  it("comes back cell for cell, dense or sparse, plain or compressed", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const dense = recorded(values, layout);
        const plain = encodeHistogram(dense);
        expect(encodeHistogram(SparseHistogram.from(dense))).toEqual(plain);
        for (const decoded of [
          decodeHistogram(plain),
          decodeHistogram(compressHistogram(dense)),
          histogramFromBase64(` ${histogramToBase64(dense)}\n`),
        ]) {
          expect(cellsOf(decoded)).toEqual(cellsOf(dense));
          expect(decoded.layout).toEqual(layout);
        }
      }),
    );
  });

  it("keeps counts up to 2^53 − 1", () => {
    for (const count of [1, 63, 64, 127, 128, 8191, 8192, 2 ** 31, 2 ** 32 + 1, 2 ** 49, Number.MAX_SAFE_INTEGER]) {
      const histogram = new Histogram();
      histogram.recordN(3, count);
      histogram.recordN(5, 1);
      expect(cellsOf(decodeHistogram(encodeHistogram(histogram)))).toEqual([
        [3, count],
        [5, 1],
      ]);
    }
  });

  it("is read by the oracle", () => {
    fc.assert(
      fc.property(samples, ({ layout, values }) => {
        const dense = recorded(values, layout);
        const read = hdr.decodeFromCompressedBase64(histogramToBase64(dense), 64) as Oracle;
        expect(oracleCells(read)).toEqual(cellsOf(dense));
        expect(read.totalCount).toBe(dense.total);
      }),
    );
  });

  it("reads the oracle's, ours byte for byte but for the defects of its header", () => {
    fc.assert(
      fc.property(samples, ({ layout: { highestTrackable, significantDigits }, values }) => {
        // From 1: with larger units the oracle may append empty cells after the last.
        const layout = new Layout(1, highestTrackable, significantDigits);
        const oracle = oracleOf(layout);
        for (const value of values) oracle.recordValue(value);
        const text = hdr.encodeIntoCompressedBase64(oracle);
        expect(cellsOf(histogramFromBase64(text))).toEqual(oracleCells(oracle));
        const theirs = inflate(base64ToBytes(text).subarray(8));
        const ours = encodeHistogram(recorded(values, layout));
        // Its defects: normalizing index offset 1 instead of 0, conversion ratio the integer 1 instead of 1.0.
        const header = new DataView(theirs.buffer);
        expect([header.getInt32(8), header.getBigInt64(32)]).toEqual([1, 1n]);
        header.setInt32(8, 0);
        header.setFloat64(32, 1);
        expect(ours).toEqual(theirs);
      }),
    );
  });

  it("has the header readers in C and Java expect", () => {
    const layout = new Layout(20_000, 3.6e12, 2);
    const bytes = encodeHistogram(recorded([1e6], layout));
    const view = new DataView(bytes.buffer);
    expect(view.getInt32(0).toString(16)).toBe("1c849313");
    expect(view.getInt32(4)).toBe(bytes.length - 40);
    // Where hdr-histogram-js writes 1, and readers in C then take every cell for its neighbour.
    expect(view.getInt32(8)).toBe(0);
    expect(view.getInt32(12)).toBe(2);
    expect(view.getBigInt64(16)).toBe(20_000n);
    expect(view.getBigInt64(24)).toBe(3_600_000_000_000n);
    expect(view.getFloat64(32)).toBe(1);
    const compressed = compressHistogram(recorded([1e6], layout));
    expect(new DataView(compressed.buffer).getInt32(0).toString(16)).toBe("1c849314");
    expect(new DataView(compressed.buffer).getInt32(4)).toBe(compressed.length - 8);
    expect(histogramToBase64(TYPICAL).startsWith("HISTF")).toBe(true);
  });

  it("carries an empty histogram, with a payload of one empty cell", () => {
    expect(encodeHistogram(new Histogram())).toHaveLength(41);
    expect(histogramFromBase64(histogramToBase64(new Histogram())).total).toBe(0);
  });

  it("does not carry overflows, which the reader adds from elsewhere", () => {
    const histogram = recorded([1, 1e15]);
    expect(histogramFromBase64(histogramToBase64(histogram)).overflow).toBe(0);
    expect(histogramFromBase64(histogramToBase64(histogram), histogram.overflow).total).toBe(2);
  });

  it("reads the widest range Java has, as far as values are exact", () => {
    const bytes = encodeHistogram(recorded([1, 2, 3]));
    new DataView(bytes.buffer).setBigInt64(24, 2n ** 63n - 1n);
    const read = decodeHistogram(bytes);
    expect(read.layout.highestTrackable).toBe(Number.MAX_SAFE_INTEGER);
    expect(read.total).toBe(3);
  });
});

describe("malformed input", () => {
  const plain = encodeHistogram(TYPICAL);
  const compressed = compressHistogram(TYPICAL);

  const altered = (change: (view: DataView) => void, bytes = plain) => {
    const copy = bytes.slice();
    change(new DataView(copy.buffer));
    return copy;
  };

  /** A plain encoding in a small layout with the payload given. */
  const withPayload = (...payload: number[]) => {
    const header = encodeHistogram(new Histogram(new Layout(1, 100, 1))).slice(0, 40);
    new DataView(header.buffer).setInt32(4, payload.length);
    return Uint8Array.from([...header, ...payload]);
  };

  const bytesOf = (length: number, byte: number) => Array.from({ length }, () => byte);

  it("is refused wherever it is cut off", () => {
    for (let length = 0; length < plain.length; length++) {
      expect(() => decodeHistogram(plain.subarray(0, length))).toThrow(HdrFormatError);
    }
    for (let length = 0; length < compressed.length; length++) {
      const cut = altered((view) => length >= 8 && view.setInt32(4, length - 8), compressed).subarray(0, length);
      expect(() => decodeHistogram(cut)).toThrow(HdrFormatError);
    }
  });

  it("never gives another error, whatever byte is changed", () => {
    const change = fc.tuple(fc.constantFrom(plain, compressed), fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(change, ([original, at, flip]) => {
        const bytes = original.slice();
        bytes[at % bytes.length]! ^= flip;
        attempt(() => decodeHistogram(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it("is noticed by the checksum where a stream is damaged and still inflates", () => {
    let unnoticed = 0;
    for (let at = 10; at < compressed.length; at++) {
      const bytes = compressed.slice();
      bytes[at]! ^= 1;
      const decoded = attempt(() => cellsOf(decodeHistogram(bytes)));
      if (decoded !== undefined && JSON.stringify(decoded) !== JSON.stringify(cellsOf(TYPICAL))) unnoticed++;
    }
    // One changes a distance so that two pairs of counts swap, to which Adler-32 is blind.
    expect(unnoticed).toBeLessThanOrEqual(1);
    expectRefusal(
      () => decodeHistogram(altered((view) => view.setUint8(compressed.length - 1, 0), compressed)),
      /checksum/,
    );
  });

  it("is refused by its cookie, with the version named", () => {
    for (const [cookie, name] of [
      [0x1c849308, /V0/],
      [0x1c849309, /V0 compressed/],
      [0x1c849301, /0x1c849301 \(V1\)/],
      [0x1c849302, /V1 compressed/],
      [0x12345678, /unknown/],
    ] as const) {
      expectRefusal(() => decodeHistogram(altered((view) => view.setInt32(0, cookie))), name);
    }
    const nested = Uint8Array.from([...compressed.subarray(0, 8), ...zlibSync(compressed)]);
    new DataView(nested.buffer).setInt32(4, nested.length - 8);
    expectRefusal(() => decodeHistogram(nested), /cookie/);
  });

  it("is refused where header and bytes disagree", () => {
    for (const length of [-1, plain.length, 2 ** 31 - 1]) {
      expectRefusal(() => decodeHistogram(altered((view) => view.setInt32(4, length))), /payload of/);
      expectRefusal(() => decodeHistogram(altered((view) => view.setInt32(4, length), compressed)), /promises/);
    }
    expectRefusal(() => decodeHistogram(altered((view) => view.setInt32(12, 9))), /significant digits/);
    expectRefusal(() => decodeHistogram(altered((view) => view.setBigInt64(16, 0n))), /lowest discernible/);
    expectRefusal(() => decodeHistogram(altered((view) => view.setBigInt64(24, -5n))), /highest trackable/);
  });

  it("is refused where cells pass the end of the layout", () => {
    const cells = new Layout(1, 100, 1).countsLength;
    expect(cellsOf(decodeHistogram(withPayload(2 * (cells - 1) - 1, 6)))).toEqual([[cells - 1, 3]]);
    expectRefusal(() => decodeHistogram(withPayload(2 * cells - 1, 6)), /more cells/);
    expectRefusal(() => decodeHistogram(withPayload(...bytesOf(cells + 1, 2))), /more cells/);
    // The most negative number there is, which is no run of empty cells.
    expectRefusal(() => decodeHistogram(withPayload(...bytesOf(9, 255))), /beyond 2\^53/);
    expectRefusal(() => decodeHistogram(withPayload(...bytesOf(7, 255), 127)), /more cells|beyond/);
    expectRefusal(() => decodeHistogram(withPayload(128)), /within a count/);
  });

  it("is refused when it would fill the memory", () => {
    const bomb = zlibSync(new Uint8Array(17 * 2 ** 20));
    const bytes = Uint8Array.from([...compressed.subarray(0, 8), ...bomb]);
    new DataView(bytes.buffer).setInt32(4, bomb.length);
    expectRefusal(() => decodeHistogram(bytes), /more than/);
  });

  it("is refused as base64 with the place where it is not", () => {
    const text = histogramToBase64(TYPICAL);
    expectRefusal(() => histogramFromBase64(`${text.slice(0, 10)}*${text.slice(11)}`), /character 11 .*"\*"/);
    expectRefusal(() => histogramFromBase64(`${text.slice(0, 10)}é${text.slice(11)}`), /character 11/);
    expectRefusal(() => histogramFromBase64(`${text.slice(0, 8)}=${text.slice(9)}`), /character 9/);
    expectRefusal(() => histogramFromBase64(text.slice(0, -1)), /fours/);
    expectRefusal(() => histogramFromBase64(""), /no histogram/);
    expect(() => histogramFromBase64("AAAA===="), "pads alone").toThrow(HdrFormatError);
  });

  it("has a code", () => {
    expect(new HdrFormatError("x")).toMatchObject({ code: "HDR_FORMAT", name: "HdrFormatError" });
  });
});

describe("base64", () => {
  it("is the platform's, both ways", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(bytesToBase64(bytes)).toBe(text);
        expect(base64ToBytes(text)).toEqual(bytes);
      }),
    );
    const long = Uint8Array.from({ length: 50_000 }, (_, i) => i * 7);
    expect(bytesToBase64(long)).toBe(Buffer.from(long).toString("base64"));
  });
});
