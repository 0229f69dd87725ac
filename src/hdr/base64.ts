import { HdrFormatError } from "./format-error.js";

// The platform's own codecs differ between Node and browsers, and neither may be used in a pure room.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD = "=".charCodeAt(0);
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const INVALID = 255;
const SEXTETS = new Uint8Array(128).fill(INVALID);
CODES.forEach((code, sextet) => {
  SEXTETS[code] = sextet;
});

/** Letters turned into text at once: as many arguments as any engine takes. */
const PIECE = 4096;

/**
 * Standard base64 with padding (RFC 4648, 4). Text is made in large pieces: added up letter by letter it would be kept as a
 * tree of small strings, a dozen times its size.
 */
export function bytesToBase64(bytes: Uint8Array): string {
  const letters = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const word = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    letters[to++] = CODES[word >>> 18]!;
    letters[to++] = CODES[(word >>> 12) & 63]!;
    letters[to++] = at + 1 < bytes.length ? CODES[(word >>> 6) & 63]! : PAD;
    letters[to++] = at + 2 < bytes.length ? CODES[word & 63]! : PAD;
  }
  let text = "";
  for (let at = 0; at < letters.length; at += PIECE) text += String.fromCharCode(...letters.subarray(at, at + PIECE));
  return text;
}

/** @throws HdrFormatError if `text` is not padded standard base64 */
export function base64ToBytes(text: string): Uint8Array {
  if (text.length % 4 !== 0) throw new HdrFormatError(`base64 comes in fours of characters, not ${text.length}`);
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const letters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let word = 0;
  let to = 0;
  for (let from = 0; from < text.length; from++) {
    const sextet = from < letters ? (SEXTETS[text.charCodeAt(from)] ?? INVALID) : 0;
    if (sextet === INVALID) {
      throw new HdrFormatError(`character ${from + 1} of the base64 text is ${JSON.stringify(text[from])}`);
    }
    word = (word << 6) | sextet;
    if (from % 4 === 3) {
      // Stores past the end, where the padding was, are dropped by the array.
      bytes[to++] = word >>> 16;
      bytes[to++] = word >>> 8;
      bytes[to++] = word;
      word = 0;
    }
  }
  return bytes;
}
