/** The bytes, base64 or text handed to a decoder are not a histogram this package can read; the message says why. */
export class HdrFormatError extends Error {
  override readonly name = "HdrFormatError";
  readonly code = "HDR_FORMAT";
}
