import { describe, expect, it } from "vitest";
import { formatSize, parseSize } from "./size.js";

describe("parseSize", () => {
  it.each([
    ["0", 0],
    ["512", 512],
    ["512b", 512],
    ["16k", 16 * 1024],
    ["16KB", 16 * 1024],
    ["1 MB", 1024 ** 2],
    ["1.5m", 1.5 * 1024 ** 2],
    ["2G", 2 * 1024 ** 3],
  ])("reads %j", (text, bytes) => {
    expect(parseSize(text)).toEqual({ ok: true, value: bytes });
  });

  it.each([
    ["", /is not a size; write it like/],
    ["-1", /is not a size/],
    ["k", /is not a size/],
    ["1T", /is not a size/],
    ["1kib", /is not a size/],
    ["9".repeat(30), /more than can be counted/],
    ["9".repeat(400), /more than can be counted/],
  ])("refuses %j and says why", (text, problem) => {
    expect(parseSize(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) as string });
  });
});

describe("formatSize", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KB"],
    [1536, "1.5 KB"],
    [10 * 1024 - 1, "10 KB"],
    [16 * 1024, "16 KB"],
    [1024 ** 2 - 1, "1 MB"],
    [1024 ** 2, "1 MB"],
    [1.5 * 1024 ** 2, "1.5 MB"],
    [1024 ** 3 - 1, "1 GB"],
    [3 * 1024 ** 3, "3 GB"],
    [1024 ** 4, "1 TB"],
    [5000 * 1024 ** 4, "5000 TB"],
  ])("writes %d as %j", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });
});
