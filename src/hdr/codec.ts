import { zlibSync } from "fflate";
import { base64ToBytes, bytesToBase64 } from "./base64.js";
import type { Cells } from "./distribution.js";
import { HdrFormatError } from "./format-error.js";
import { inflate } from "./inflate.js";
import { Layout } from "./layout.js";
import { SparseHistogram } from "./sparse.js";
import { narrowCells, type SparseCells } from "./sparse-cells.js";
import { VarintReader, VarintWriter } from "./varint.js";

// HdrHistogram's V2 encoding, big-endian:
//
//     0 cookie   4 payload bytes   8 normalizing index offset   12 digits   16 lowest   24 highest   32 conversion ratio
//     40 payload: counts from cell 0 to the last non-empty one as varints; −n stands for n empty cells
//
// and compressed: cookie, length, zlib stream of the above. The format has no place for overflowed values: whoever stores an
// encoding stores `overflow` beside it.

const V2_COOKIE = 0x1c849303;
const V2_COMPRESSED_COOKIE = 0x1c849304;
/** Word size in the cookie, of no use in V2; other writers set it. */
const WORD_SIZE = 0x10;
const HEADER_BYTES = 40;
const COMPRESSED_HEADER_BYTES = 8;

const OLDER_COOKIES: ReadonlyMap<number, string> = new Map([
  [0x1c849308, "V0"],
  [0x1c849309, "V0 compressed"],
  [0x1c849301, "V1"],
  [0x1c849302, "V1 compressed"],
]);

const words = new VarintWriter();

/** Encodes in HdrHistogram V2, without the overflow. */
export function encodeHistogram(cells: Cells): Uint8Array {
  words.clear();
  let next = 0;
  for (let at = cells.nextCell(0); at >= 0; at = cells.nextCell(at + 1)) {
    const index = cells.indexAt(at);
    if (index - next > 0) words.write(index - next === 1 ? 0 : next - index);
    words.write(cells.countAt(at));
    next = index + 1;
  }
  // Other readers want a payload: an empty histogram says that its first cell is.
  if (next === 0) words.write(0);
  const payload = words.written;

  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, V2_COOKIE | WORD_SIZE);
  view.setInt32(4, payload.length);
  // Normalizing index offset 0 at 8: anything else, and readers in C rotate the cells.
  view.setInt32(12, cells.layout.significantDigits);
  view.setBigInt64(16, BigInt(cells.layout.lowestDiscernible));
  view.setBigInt64(24, BigInt(cells.layout.highestTrackable));
  view.setFloat64(32, 1);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Encodes in HdrHistogram V2 compressed, without the overflow. */
export function compressHistogram(cells: Cells): Uint8Array {
  const deflated = zlibSync(encodeHistogram(cells));
  const bytes = new Uint8Array(COMPRESSED_HEADER_BYTES + deflated.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, V2_COMPRESSED_COOKIE | WORD_SIZE);
  view.setInt32(4, deflated.length);
  bytes.set(deflated, COMPRESSED_HEADER_BYTES);
  return bytes;
}

/** {@link compressHistogram} in base64: the `HISTF…` of interval logs. */
export function histogramToBase64(cells: Cells): string {
  return bytesToBase64(compressHistogram(cells));
}

/**
 * Decodes HdrHistogram V2, compressed or not, by any writer.
 *
 * @param overflow how many values the encoder had seen overflow, which the encoding itself cannot say
 * @throws HdrFormatError if the bytes are anything else, damaged, cut off, or inflate to more than 16 MB
 */
export function decodeHistogram(bytes: Uint8Array, overflow = 0): SparseHistogram {
  const histogram =
    cookieOf(bytes) === V2_COMPRESSED_COOKIE ? decodePlain(inflate(compressedPart(bytes))) : decodePlain(bytes);
  histogram.addOverflow(overflow);
  return histogram;
}

/**
 * {@link decodeHistogram} of base64; white space around it is ignored.
 *
 * @throws HdrFormatError also if it is not base64
 */
export function histogramFromBase64(text: string, overflow = 0): SparseHistogram {
  return decodeHistogram(base64ToBytes(text.trim()), overflow);
}

function compressedPart(bytes: Uint8Array): Uint8Array {
  if (bytes.length < COMPRESSED_HEADER_BYTES) throw new HdrFormatError(`${bytes.length} bytes are no histogram`);
  const length = viewOf(bytes).getInt32(4);
  const available = bytes.length - COMPRESSED_HEADER_BYTES;
  if (length < 0 || length > available) {
    throw new HdrFormatError(`the header promises ${length} compressed bytes, and ${available} follow`);
  }
  return bytes.subarray(COMPRESSED_HEADER_BYTES, COMPRESSED_HEADER_BYTES + length);
}

function decodePlain(bytes: Uint8Array): SparseHistogram {
  const cookie = cookieOf(bytes);
  if (cookie !== V2_COOKIE) {
    const name = OLDER_COOKIES.get(cookie) ?? "unknown";
    throw new HdrFormatError(`cookie 0x${cookie.toString(16)} (${name}): only HdrHistogram V2 can be read`);
  }
  if (bytes.length < HEADER_BYTES) throw new HdrFormatError(`${bytes.length} bytes are no histogram`);
  const length = viewOf(bytes).getInt32(4);
  const available = bytes.length - HEADER_BYTES;
  if (length < 0 || length > available) {
    throw new HdrFormatError(`the header promises a payload of ${length} bytes, and ${available} follow`);
  }
  const layout = layoutOf(bytes);
  return new SparseHistogram(layout, readPayload(bytes.subarray(HEADER_BYTES, HEADER_BYTES + length), layout));
}

/**
 * The layout in a header. Normalizing offset and conversion ratio are not looked at: the payload is in order of value whatever
 * the offset, counts are of integer values whatever the ratio, and hdr-histogram-js writes odd numbers into both.
 */
function layoutOf(bytes: Uint8Array): Layout {
  const view = viewOf(bytes);
  const highest = Number(view.getBigInt64(24));
  try {
    // Java's range goes to 2^63; cells beyond 2^53, if used, are refused when they come.
    return new Layout(Number(view.getBigInt64(16)), Math.min(highest, Number.MAX_SAFE_INTEGER), view.getInt32(12));
  } catch (cause) {
    throw new HdrFormatError(`the header is damaged: ${(cause as RangeError).message}`, { cause });
  }
}

/** The first four bytes less the word size. */
function cookieOf(bytes: Uint8Array): number {
  if (bytes.length < 4) throw new HdrFormatError(`${bytes.length} bytes are no histogram`);
  return viewOf(bytes).getInt32(0) & ~0xf0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readPayload(payload: Uint8Array, layout: Layout): SparseCells {
  const indices: number[] = [];
  const counts: number[] = [];
  const words = new VarintReader(payload);
  let index = 0;
  while (!words.done) {
    const word = words.next();
    if (word > 0) {
      indices.push(index);
      counts.push(word);
    }
    index += word < 0 ? -word : 1;
    if (index > layout.countsLength) {
      throw new HdrFormatError(`the payload has more cells than the ${layout.countsLength} of its layout`);
    }
  }
  return narrowCells(Int32Array.from(indices), Float64Array.from(counts), 0);
}
