/** Byte classes and words of HTTP/1.1 (RFC 9110, 5.5 and 5.6.2), as tables: the parser asks for each byte it reads. */

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const ZERO = 0x30;

/** 1 for a byte of a token (`tchar`): what names of headers and methods are made of. */
export const TOKEN_BYTE = table((byte) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte)));

/** 1 for a byte of a header's value or a reason: printable, space, tab, or beyond ASCII (`obs-text`). */
export const VALUE_BYTE = table((byte) => byte === TAB || (byte >= SP && byte !== 0x7f));

/** The value of a hexadecimal digit, or 255. */
export const HEX_VALUE = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? 255 : value;
});

function table(belongs: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (belongs(byte) ? 1 : 0));
}

/** The bytes of an ASCII text. */
export const word = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/**
 * Whether the token `bytes[from, to)` is the given lower-case word, in whatever case. Only for bytes known to belong to a
 * token: setting bit 0x20 makes letters small and leaves digits and `-` alone, but would confuse control characters.
 */
export function isWord(bytes: Uint8Array, from: number, to: number, lower: Uint8Array): boolean {
  if (to - from !== lower.length) return false;
  for (let i = 0; i < lower.length; i++) {
    if ((bytes[from + i]! | 0x20) !== lower[i]) return false;
  }
  return true;
}
