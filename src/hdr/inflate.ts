import { Unzlib } from "fflate";
import { HdrFormatError } from "./format-error.js";

/** No histogram comes near: 1 ns to an hour at five digits with every cell in use takes under 10 MB. */
const MAX_INFLATED_BYTES = 16 * 2 ** 20;

/** Bytes inflated at a time: deflate makes at most 1,032 of one, so what is refused has cost a megabyte at most. */
const STEP = 1024;

/**
 * Inflates a zlib stream (RFC 1950), checksum and all.
 *
 * @throws HdrFormatError if it is damaged, or grows past 16 MB
 */
export function inflate(compressed: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  const stream = new Unzlib((part, final) => {
    length += part.length;
    ended ||= final;
    if (length > MAX_INFLATED_BYTES) throw new HdrFormatError(`inflates to more than ${MAX_INFLATED_BYTES} bytes`);
    parts.push(part);
  });
  try {
    for (let from = 0; from < compressed.length; from += STEP) {
      stream.push(compressed.subarray(from, from + STEP), from + STEP >= compressed.length);
    }
  } catch (cause) {
    if (cause instanceof HdrFormatError) throw cause;
    throw new HdrFormatError("the zlib stream is damaged", { cause });
  }
  const inflated = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    inflated.set(part, at);
    at += part.length;
  }
  if (!ended || adler32(inflated) !== trailer(compressed)) {
    throw new HdrFormatError("the zlib stream does not match its checksum");
  }
  return inflated;
}

function trailer(compressed: Uint8Array): number {
  return new DataView(compressed.buffer, compressed.byteOffset, compressed.byteLength).getUint32(compressed.length - 4);
}

/** Adler-32 (RFC 1950, 9): a = 1 + Σ bytes, b = Σ of the a's, both modulo 65521. */
function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let from = 0; from < bytes.length; from += 4096) {
    const to = Math.min(from + 4096, bytes.length);
    for (let i = from; i < to; i++) {
      a += bytes[i]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b * 65536 + a;
}
