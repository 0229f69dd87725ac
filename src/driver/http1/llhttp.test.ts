import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askLlhttp } from "./llhttp.testkit.js";
import { mutated, type OurOutcome, type Outcome, parsePieces, responses } from "./responses.testkit.js";

/** Where the parser differs from llhttp on purpose, and an answer that shows it. */
interface Difference {
  readonly reason: string;
  readonly example: string;
  readonly ours: Outcome["end"];
  readonly llhttp: Outcome["end"];
  readonly applies: (text: string, ours: OurOutcome, llhttp: Outcome) => boolean;
}

const DIFFERENCES: readonly Difference[] = [
  {
    reason: "stricter: nothing may come before a status line; llhttp skips CR and LF there, as is meant for requests",
    example: "\r\nHTTP/1.1 204 OK\r\n\r\n",
    ours: "refused",
    llhttp: "done",
    applies: (text, { problem }) =>
      problem === "status line does not start with HTTP/1." && /(^|\r\n\r\n)[\r\n]/.test(text),
  },
  {
    reason: "stricter: a reason has no control characters (RFC 9112, 4); llhttp takes any byte but CR and LF",
    example: "HTTP/1.1 204 O\0K\r\n\r\n",
    ours: "refused",
    llhttp: "done",
    applies: (_text, { problem }) => problem === "status line has a byte it may not have",
  },
  {
    reason: "laxer: a tab after a value is space (RFC 9110, 5.6.3); llhttp refuses it after a length",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 0\t\r\n\r\n",
    ours: "done",
    llhttp: "refused",
    applies: (text) => /^content-length:[^\n]*\t/im.test(text),
  },
  {
    reason: "a tab after `chunked` is space, too; llhttp then takes it for another coding and reads to the end",
    example: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\nbody",
    ours: "cut",
    llhttp: "done",
    applies: (text) => /^transfer-encoding:[^\n]*\t/im.test(text),
  },
  {
    reason: "laxer: equal lengths are one length (RFC 9110, 8.6); llhttp refuses any second one",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
    ours: "done",
    llhttp: "refused",
    applies: (text) => /^content-length:.*^content-length:/ims.test(text) || /^content-length:[^\n]*,/im.test(text),
  },
  {
    reason: "laxer: what follows a chunk's size and a semicolon is passed over; llhttp checks its grammar",
    example: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;,a="b c"\r\n\r\n',
    ours: "done",
    llhttp: "refused",
    applies: (text, _ours, llhttp) => llhttp.end === "refused" && /^[0-9a-f]+;/im.test(text),
  },
  {
    reason: "stricter: a length past 2^53 cannot be counted; llhttp counts to 2^64",
    example: "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
    ours: "refused",
    llhttp: "cut",
    applies: (_text, { problem }) => problem === "Content-Length is too large" || problem === "chunk size is too large",
  },
  {
    reason: "stricter: nobody asked to switch protocols; llhttp leaves that to its user",
    example: "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ours: "refused",
    llhttp: "done",
    applies: (_text, { problem }) => problem === "switches protocols (101) unasked",
  },
  {
    reason: "stricter: a status code is 100 or more (RFC 9110, 15); llhttp takes any three digits",
    example: "HTTP/1.1 003 What\r\nContent-Length: 0\r\n\r\n",
    ours: "refused",
    llhttp: "done",
    applies: (_text, { problem }) => problem === "status code is below 100",
  },
  {
    reason: "laxer: an answer 1xx does not end the connection, whatever it says; llhttp reads no further if it says so",
    example: "HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 204 OK\r\n\r\n",
    ours: "done",
    llhttp: "refused",
    applies: (_text, { interims }, llhttp) => interims > 0 && llhttp.end !== "done",
  },
  {
    reason: "later: a line is judged when its end has come; llhttp judges by the byte. The exchange fails either way",
    example: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz",
    ours: "cut",
    llhttp: "refused",
    applies: (_text, { outcome }, llhttp) => outcome.end === "cut" && llhttp.end === "refused",
  },
];

describe("beside llhttp", () => {
  for (const [kind, arbitrary, numRuns] of [
    ["generated", responses, 1500],
    ["mutated", mutated, 4000],
  ] as const) {
    it(`takes ${kind} answers for the same, but where it differs on purpose`, async () => {
      const ends = { done: 0, cut: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(arbitrary, fc.constantFrom("GET", "HEAD"), async (bytes, method) => {
          const ours = parsePieces([bytes], method === "HEAD");
          const llhttp = await askLlhttp(bytes, method);
          ends[llhttp.end]++;
          if (DIFFERENCES.some(({ applies }) => applies(bytes.toString("latin1"), ours, llhttp))) return;
          expect(ours.outcome, JSON.stringify(bytes.toString("latin1"))).toEqual(llhttp);
        }),
        { numRuns },
      );
      // A test of agreement would be worth nothing if one answer were all there is to agree on.
      for (const count of Object.values(ends)) expect(count).toBeGreaterThan(numRuns / 500);
    });
  }

  it.each(DIFFERENCES)("$reason", async ({ example, ours, llhttp, applies }) => {
    const bytes = Buffer.from(example, "latin1");
    const outcome = parsePieces([bytes]);
    const theirs = await askLlhttp(bytes, "GET");
    expect({ ours: outcome.outcome.end, llhttp: theirs.end }).toEqual({ ours, llhttp });
    expect(applies(example, outcome, theirs)).toBe(true);
  });
});
