import fc from "fast-check";
import { HeadMemory } from "./head-memory.js";
import { ResponseParser } from "./parser.js";

/** What became of one answer whose bytes were followed by the end of the connection. */
export type Outcome =
  | { readonly end: "done"; readonly status: number; readonly bodyBytes: number }
  | { readonly end: "cut" } // the connection ended first
  | { readonly end: "refused" };

/** A verdict with all that a driver acts on. */
export interface OurOutcome {
  readonly outcome: Outcome;
  readonly problem: string;
  readonly consumed: number;
  readonly reusable: boolean;
  readonly keepAliveTimeoutS: number;
  readonly interims: number;
}

/** Feeds the pieces one after another through one small buffer that is overwritten each time, as a driver does. */
export function parsePieces(
  pieces: readonly Uint8Array[],
  bodyless = false,
  parser = new ResponseParser(new HeadMemory()),
): OurOutcome {
  const shared = Buffer.alloc(Math.max(1, ...pieces.map((piece) => piece.length)) + 16);
  parser.begin(bodyless);
  let consumed = 0;
  for (const piece of pieces) {
    shared.fill("\n");
    shared.set(piece);
    consumed += parser.feed(shared, 0, piece.length);
  }
  parser.end();
  const outcome: Outcome = parser.done
    ? { end: "done", status: parser.status, bodyBytes: parser.bodyBytes }
    : { end: parser.failed ? "refused" : "cut" };
  return {
    outcome,
    problem: parser.problem,
    // Where in a refused answer the reader stopped is of no use to anybody.
    consumed: parser.failed ? 0 : consumed,
    reusable: parser.done && parser.reusable,
    keepAliveTimeoutS: parser.keepAliveTimeoutS,
    interims: parser.interims,
  };
}

const mixedCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => Array.from(text, (letter, i) => (upper[i] ? letter.toUpperCase() : letter)).join(""));
const named = (name: string, ...values: string[]) =>
  fc
    .tuple(
      mixedCase(name),
      fc.constantFrom("", " ", "\t ", "  "),
      fc.constantFrom(...values),
      fc.constantFrom("", " ", "\t"),
    )
    .map((parts) => `${parts[0]}:${parts[1]}${parts[2]}${parts[3]}\r\n`);

const someHeader = fc.oneof(
  named("server", "nginx/1.22.1", "", "\u00e9t\u00e9", "a:b"),
  named("date", "Tue, 01 Dec 2026 12:36:07 GMT"),
  named("connection", "close", "keep-alive", "Keep-Alive, x-custom", "upgrade", ", close"),
  named("keep-alive", "timeout=5", "timeout=5, max=100", "max=1"),
  named("x-content-length", "9"),
  named("etag", '"5c0692e1-264"'),
);
// llhttp does not take a tab at the end of these two for space (RFC 9110, 5.6.3); that quirk has its own test.
const framed = (name: string, ...values: string[]) =>
  named(name, ...values).map((line) => line.replace(/\t\r\n$/, " \r\n"));
const framing = fc.oneof(
  { weight: 4, arbitrary: fc.nat(40).chain((length) => framed("content-length", String(length))) },
  { weight: 3, arbitrary: framed("transfer-encoding", "chunked", "gzip, chunked", "Chunked") },
  { weight: 2, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: framed("content-length", "", "x", "1x", "+5", "-5", "5 5", "99999999999999999999", "0x5") },
  { weight: 1, arbitrary: framed("transfer-encoding", "gzip", "chunked, gzip", "identity", "") },
);
const extension = fc.constantFrom("", "", ";a=b", ';a="b c"', ";a", " ");
const chunked = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), extension), { maxLength: 4 }),
    extension,
    fc.array(someHeader, { maxLength: 2 }),
  )
  .map(([chunks, lastExtension, trailers]) =>
    [
      ...chunks.map(([size, ext]) => `${size.toString(16)}${ext}\r\n${"d".repeat(size)}\r\n`),
      `0${lastExtension}\r\n`,
      ...trailers,
      "\r\n",
    ].join(""),
  );
const body = fc.oneof(
  fc.nat(50).map((length) => "b".repeat(length)),
  chunked,
);
const statusLine = fc
  .tuple(
    fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.0"),
    fc.constantFrom(200, 200, 200, 204, 304, 404, 503, 103, 600, 999),
    fc.constantFrom(" OK", " ", "", " Not Found", " \u00e9"),
  )
  .map(([version, status, reason]) => `${version} ${status}${reason}\r\n`);
const interim = fc.constantFrom(
  "",
  "",
  "",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
);

/** Answers well-formed as a rule, now and then with a wrong length or a doubtful header. */
export const responses = fc
  .tuple(
    interim,
    statusLine,
    fc.array(someHeader, { maxLength: 3 }),
    framing,
    fc.array(someHeader, { maxLength: 2 }),
    body,
  )
  .map(([before, line, some, frame, more, content]) =>
    Buffer.from(`${before}${line}${some.join("")}${frame}${more.join("")}\r\n${content}`, "latin1"),
  );

const mutation = fc.record({
  atPermille: fc.noBias(fc.integer({ min: 0, max: 999 })),
  remove: fc.nat(3),
  insert: fc.constantFrom(
    "",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    ":",
    "\0",
    "\x7f",
    "\xff",
    "0",
    "1",
    ",",
    ";",
    "a",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
  ),
});

/** Answers with up to three wounds. */
export const mutated = fc
  .tuple(responses, fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([bytes, mutations]) => {
    let text = bytes.toString("latin1");
    for (const { atPermille, remove, insert } of mutations) {
      const position = Math.floor((atPermille / 1000) * text.length);
      text = text.slice(0, position) + insert + text.slice(position + remove);
    }
    return Buffer.from(text, "latin1");
  });
