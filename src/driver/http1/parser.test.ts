import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeadMemory } from "./head-memory.js";
import { CHUNK_LINE_LIMIT_BYTES, HEAD_LIMIT_BYTES, HEADER_LIMIT, HTTP2_ONLY, ResponseParser } from "./parser.js";
import { mutated, parsePieces, responses } from "./responses.testkit.js";

const parse = (text: string, bodyless = false) => parsePieces([Buffer.from(text, "latin1")], bodyless);
const done = (status: number, bodyBytes: number) => ({ end: "done", status, bodyBytes });

describe("cut up", () => {
  const anyResponse = fc.oneof(responses, mutated);

  it("means the same wherever it is cut in two, and byte by byte", () => {
    fc.assert(
      fc.property(anyResponse, fc.boolean(), (bytes, bodyless) => {
        const whole = parsePieces([bytes], bodyless);
        for (let cut = 1; cut < bytes.length; cut++) {
          expect(parsePieces([bytes.subarray(0, cut), bytes.subarray(cut)], bodyless)).toEqual(whole);
        }
        expect(
          parsePieces(
            Array.from(bytes, (byte) => Buffer.of(byte)),
            bodyless,
          ),
        ).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("means the same to a parser that remembers other heads", () => {
    const seasoned = new ResponseParser(new HeadMemory());
    fc.assert(
      fc.property(anyResponse, fc.boolean(), fc.integer({ min: 1, max: 3 }), (bytes, bodyless, times) => {
        const fresh = parsePieces([bytes], bodyless);
        for (let i = 0; i < times; i++) expect(parsePieces([bytes], bodyless, seasoned)).toEqual(fresh);
      }),
      { numRuns: 1000 },
    );
  });

  it("shares its memory between answers under way", () => {
    const memory = new HeadMemory();
    const [one, other] = [new ResponseParser(memory), new ResponseParser(memory)];
    const begin = (parser: ResponseParser, text: string) => {
      const bytes = Buffer.from(text);
      parser.begin(false);
      parser.feed(bytes, 0, bytes.length);
    };
    begin(one, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    begin(one, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    begin(other, "HTTP/1.1 500 No\r\nContent-Length: 9\r\nConnection: close\r\n\r\n");
    one.feed(Buffer.from("cd"), 0, 2);
    expect([one.done, one.status, one.bodyBytes, one.reusable]).toEqual([true, 200, 4, true]);
  });
});

describe("where an answer ends", () => {
  it.each([
    ["by its length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 200, 3],
    ["at once with length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, 0],
    [
      "by its chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
      200,
      13,
    ],
    ["after its trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n", 200, 1],
    ["with the connection", "HTTP/1.1 200 OK\r\n\r\nabcde", 200, 5],
    [
      "with the connection if chunked is not the last coding",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nabc",
      200,
      3,
    ],
    ["with the connection, empty", "HTTP/1.0 200 OK\r\n\r\n", 200, 0],
    ["with its head for 204", "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", 204, 0],
    ["with its head for 304", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, 0],
    [
      "after those 1xx before it",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\nx",
      201,
      1,
    ],
    ["without a reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, 0],
    ["by a length said twice alike", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\ncontent-length: 3\r\n\r\nabc", 200, 3],
  ])("%s", (_how, text, status, bodyBytes) => {
    expect(parse(text).outcome).toEqual(done(status, bodyBytes));
  });

  it("with its head for HEAD", () => {
    expect(parse("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", true).outcome).toEqual(done(200, 0));
  });

  it("before bytes that belong to no answer", () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
    expect(parse(`${text}XY`)).toMatchObject({ outcome: done(200, 3), consumed: text.length });
  });

  it("only counts a huge body", () => {
    const parser = new ResponseParser(new HeadMemory());
    const head = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n");
    const piece = Buffer.alloc(50_000_000);
    parser.begin(false);
    parser.feed(head, 0, head.length);
    for (let i = 0; i < 100; i++) expect(parser.feed(piece, 0, piece.length)).toBe(piece.length);
    expect([parser.done, parser.bodyBytes]).toEqual([true, 5e9]);
  });
});

describe("whether the connection lives on", () => {
  it.each([
    ["HTTP/1.1", "", true],
    ["HTTP/1.1", "Connection: close\r\n", false],
    ["HTTP/1.1", "Connection: keep-alive, CLOSE\r\n", false],
    ["HTTP/1.1", "Connection: closed\r\n", true],
    ["HTTP/1.0", "", false],
    ["HTTP/1.0", "connection: Keep-Alive\r\n", true],
    ["HTTP/1.0", "Connection: keep-alive\r\nConnection: close\r\n", false],
  ])("%s with %j: %s", (version, headers, reusable) => {
    expect(parse(`${version} 200 OK\r\nContent-Length: 0\r\n${headers}\r\n`).reusable).toBe(reusable);
  });

  it("ends with an answer that ends with it", () => {
    expect(parse("HTTP/1.1 200 OK\r\n\r\nabc")).toMatchObject({ outcome: done(200, 3), reusable: false });
  });

  it.each([
    ["timeout=5", 5],
    ["max=100, timeout=15", 15],
    ["Timeout=7 , max=3", 7],
    ["timeout=soon", Number.POSITIVE_INFINITY],
    ["max=100", Number.POSITIVE_INFINITY],
  ])("Keep-Alive: %s promises %d s", (value, seconds) => {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: ${value}\r\n\r\n`;
    expect(parse(text).keepAliveTimeoutS).toBe(seconds);
  });
});

describe("refuses", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
  it.each([
    ["SSH-2.0-OpenSSH_9.2\r\n", "status line does not start with HTTP/1."],
    ["http/1.1 200 OK\r\n\r\n", "status line does not start with HTTP/1."],
    ["HTTP/2 200\r\n\r\n", "status line does not start with HTTP/1."],
    ["HTTP/1.2 200 OK\r\n\r\n", "unknown HTTP version"],
    ["HTTP/1.1_200 OK\r\n\r\n", "no space after the HTTP version"],
    ["HTTP/1.1 20 OK\r\n\r\n", "status code is not three digits"],
    ["HTTP/1.1 099 Low\r\n\r\n", "status code is below 100"],
    ["HTTP/1.1 2000 OK\r\n\r\n", "status line has a byte it may not have"],
    ["HTTP/1.1 200 OK\n\n", "status line has a byte it may not have"],
    ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "switches protocols (101) unasked"],
    [`${ok}X: a\r\n folded\r\n\r\n`, "folded header"],
    [`${ok}: nameless\r\n\r\n`, "header without a name"],
    [`${ok}X : y\r\n\r\n`, "header name has a byte it may not have"],
    [`${ok}no colon\r\n\r\n`, "header name has a byte it may not have"],
    [`${ok}X: a\rb\r\n\r\n`, "header value has a byte it may not have"],
    [`${ok}X: a\n\r\n`, "header value has a byte it may not have"],
    [`${ok}X: a\0b\r\n\r\n`, "header value has a byte it may not have"],
    [`${ok}Content-Length: 3\r\nContent-Length: 4\r\n\r\n`, "two Content-Lengths differ"],
    [`${ok}Content-Length: 3, 4\r\n\r\n`, "two Content-Lengths differ"],
    [`${ok}Content-Length: -3\r\n\r\n`, "Content-Length is not a number"],
    [`${ok}Content-Length: 3,\r\n\r\n`, "Content-Length is not a number"],
    [`${ok}Content-Length: 9007199254740993\r\n\r\n`, "Content-Length is too large"],
    [
      `${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
      "both Content-Length and Transfer-Encoding are given",
    ],
    [
      `${ok}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n`,
      "both Content-Length and Transfer-Encoding are given",
    ],
    [`${chunked}x\r\n`, "chunk size is not a hexadecimal number"],
    [`${chunked}3 \r\nabc\r\n`, "chunk size has a byte it may not have"],
    [`${chunked}3;a\0\r\n`, "chunk size has a byte it may not have"],
    [`${chunked}FFFFFFFFFFFFFF\r\n`, "chunk size is too large"],
    [`${chunked}3\r\nabcd\r\n`, "chunk is longer than its size"],
    [`${chunked}0\r\nX : y\r\n\r\n`, "header name has a byte it may not have"],
    [`${ok}${"X: y\r\n".repeat(HEADER_LIMIT + 1)}\r\n`, "more than 256 headers"],
    [`${ok}X: ${"y".repeat(HEAD_LIMIT_BYTES)}\r\n\r\n`, "head of more than 64 KiB"],
    [`${ok}X: ${"y".repeat(HEAD_LIMIT_BYTES)}`, "head of more than 64 KiB"],
    ["HTTP/1.1 100 Continue\r\n\r\n".repeat(3000), "head of more than 64 KiB"],
    [`${chunked}0\r\n${`X: ${"y".repeat(1000)}\r\n`.repeat(66)}\r\n`, "head of more than 64 KiB"],
    [`${chunked}1;${"y".repeat(CHUNK_LINE_LIMIT_BYTES)}\r\n`, "chunk extensions of more than 16 KiB"],
  ])("no %#: $1", (text, problem) => {
    expect(parse(text)).toMatchObject({ outcome: { end: "refused" }, problem });
  });

  it("but takes a head just within the limits", () => {
    const filler = "X: y\r\n".repeat(HEADER_LIMIT - 2);
    const rest = HEAD_LIMIT_BYTES - ok.length - filler.length - "Content-Length: 1\r\nX: \r\n\r\n".length;
    const text = `${ok}${filler}Content-Length: 1\r\nX: ${"y".repeat(rest)}\r\n\r\nb`;
    expect(parse(text).outcome).toEqual(done(200, 1));
    expect(parsePieces(Array.from(Buffer.from(text), (byte) => Buffer.of(byte))).outcome).toEqual(done(200, 1));
  });

  it("HTTP/2 and TLS, and says so at the first bytes", () => {
    const settings = Buffer.from([0, 0, 0x0a, 4, 0, 0, 0, 0, 0]);
    const goaway = Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0]);
    expect([settings, goaway].map((frame) => parsePieces([frame]).problem)).toEqual([HTTP2_ONLY, HTTP2_ONLY]);
    expect(parsePieces(Array.from(settings, (byte) => Buffer.of(byte))).problem).toBe(HTTP2_ONLY);
    expect(parsePieces([Buffer.from([0x15, 3, 1, 0, 2, 2, 70])]).problem).toBe("the target speaks TLS: write https://");
    expect(parsePieces([Buffer.from([0, 0, 0, 1, 0])]).problem).toBe("status line does not start with HTTP/1.");
  });
});

describe("says how far it got", () => {
  it.each([
    ["", "before any answer"],
    ["HTTP/1.1 2", "inside the head of the answer"],
    ["HTTP/1.1 200 OK\r\n", "inside the head of the answer"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "after 3 of 10 body bytes"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "inside the body, after 3 bytes of it"],
  ])("%j", (text, progress) => {
    const parser = new ResponseParser(new HeadMemory());
    parser.begin(false);
    parser.feed(Buffer.from(text), 0, text.length);
    expect(parser.progress()).toBe(progress);
  });
});
