import { histogramFromBase64, histogramToBase64 } from "./codec.js";
import type { Distribution } from "./distribution.js";
import type { SparseHistogram } from "./sparse.js";

// HdrHistogram's interval log, version 1.3: one line an interval, `[Tag=…,]start,length,max,histogram`, times in seconds.

const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"';
const NUMBER = /^\s*([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*$/;
const STAMP = /^#\[(StartTime|BaseTime): *(\d+(?:\.\d*)?)/;
const YEAR_SECONDS = 365 * 24 * 3600;

export interface HlogHeader {
  /** Seconds since the epoch. Interval stamps are relative to it. */
  readonly startTime: number;
  /** Lines of their own, without the `#`. */
  readonly comments?: readonly string[];
}

/** The lines a log begins with. */
export function hlogHeader(header: HlogHeader): string {
  const comments = (header.comments ?? []).flatMap((comment) => comment.split(/\r\n|\r|\n/));
  const seconds = header.startTime.toFixed(3);
  const date = new Date(header.startTime * 1000).toUTCString();
  const lines = [
    // A space keeps a comment from being taken for the start time.
    ...comments.map((comment) => `# ${comment}`),
    "#[Histogram log format version 1.3]",
    `#[StartTime: ${seconds} (seconds since epoch), ${date}]`,
    `#[BaseTime: ${seconds} (seconds since epoch)]`,
    LEGEND,
  ];
  return `${lines.join("\n")}\n`;
}

export interface HlogEntry {
  /** Names one of several series in a log; no commas or white space. */
  readonly tag?: string;
  /** From the log's start time. */
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly histogram: Distribution;
  /** By how much the printed maximum is divided; 10^6, nanoseconds to milliseconds, unless given. For human readers only. */
  readonly maxUnitRatio?: number;
}

/**
 * One interval's line. Overflowed values, for which the format has no place, are said in a comment before it.
 *
 * @throws RangeError if the tag would break the line apart
 */
export function hlogLine(entry: HlogEntry): string {
  const { tag, startSeconds, lengthSeconds, histogram, maxUnitRatio = 1e6 } = entry;
  if (tag !== undefined && !/^[^,\s]+$/.test(tag)) {
    throw new RangeError(`a tag has no commas or white space, unlike ${JSON.stringify(tag)}`);
  }
  const { overflow, layout, max } = histogram;
  const loss =
    overflow > 0 ? `#[Overflow: ${overflow} values of ${layout.limit} or more not in the next interval]\n` : "";
  const shownMax = overflow > 0 ? layout.limit : Number.isNaN(max) ? 0 : max;
  const fields = [
    ...(tag === undefined ? [] : [`Tag=${tag}`]),
    startSeconds.toFixed(3),
    lengthSeconds.toFixed(3),
    (shownMax / maxUnitRatio).toFixed(3),
    histogramToBase64(histogram),
  ];
  return `${loss}${fields.join(",")}\n`;
}

export interface HlogInterval {
  readonly tag?: string;
  /** Start from the log's start time. */
  readonly startSeconds: number;
  /** Start since the epoch, where the log says when it began; else as logged. */
  readonly absoluteStartSeconds: number;
  readonly lengthSeconds: number;
  /** As printed in the log, in whatever unit its writer chose. */
  readonly maxUnscaled: number;
  /** Decodes the interval's histogram, anew each time. @throws HdrFormatError if it is damaged */
  histogram(): SparseHistogram;
}

export interface Hlog {
  /** Seconds since the epoch: as said in the log, else the first stamp. Undefined in a log without either. */
  readonly startTime?: number;
  /** What is added to the stamps to make them absolute. */
  readonly baseTime?: number;
  /** In the order of the log. */
  readonly intervals: readonly HlogInterval[];
  /** Lines that are none of comment, legend, interval or empty. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/**
 * Reads an interval log of version 1.0 to 1.3.
 *
 * Stamps are relative to BaseTime where the log has one. Else they are relative to StartTime if the first lies more than a
 * year below it, and absolute if not: the rule of the reference reader.
 */
export function readHlog(text: string): Hlog {
  let startTime: number | undefined;
  let baseTime: number | undefined;
  const intervals: HlogInterval[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const [i, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const stamp = STAMP.exec(line);
    if (stamp !== null) {
      if (stamp[1] === "StartTime") startTime = Number(stamp[2]);
      else baseTime = Number(stamp[2]);
      continue;
    }
    if (line.startsWith("#") || line.startsWith('"StartTimestamp"') || line.trim() === "") continue;
    const parsed = parseLine(line);
    if (typeof parsed === "string") {
      problems.push({ line: i + 1, message: parsed });
      continue;
    }
    startTime ??= parsed.stamp;
    baseTime ??= parsed.stamp < startTime - YEAR_SECONDS ? startTime : 0;
    intervals.push({
      ...(parsed.tag === undefined ? {} : { tag: parsed.tag }),
      // The small difference first: adding the epoch's seconds and taking them off again would cost digits.
      startSeconds: parsed.stamp + (baseTime - startTime),
      absoluteStartSeconds: parsed.stamp + baseTime,
      lengthSeconds: parsed.lengthSeconds,
      maxUnscaled: parsed.maxUnscaled,
      histogram: () => histogramFromBase64(parsed.payload),
    });
  }
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...(baseTime === undefined ? {} : { baseTime }),
    intervals,
    problems,
  };
}

interface ParsedLine {
  readonly tag: string | undefined;
  readonly stamp: number;
  readonly lengthSeconds: number;
  readonly maxUnscaled: number;
  readonly payload: string;
}

/** @returns the fields, or what is wrong with them */
function parseLine(line: string): ParsedLine | string {
  const fields = line.split(",");
  const tag = fields[0]?.startsWith("Tag=") ? fields.shift()?.slice("Tag=".length) : undefined;
  if (fields.length !== 4) return `an interval has start, length, maximum and histogram, not ${fields.length} fields`;
  const numbers = fields.slice(0, 3).map((field) => Number(NUMBER.exec(field)?.[1] ?? Number.NaN));
  const wrong = numbers.findIndex((number) => Number.isNaN(number));
  if (wrong >= 0) return `${JSON.stringify(fields[wrong])} is not a number`;
  return { tag, stamp: numbers[0]!, lengthSeconds: numbers[1]!, maxUnscaled: numbers[2]!, payload: fields[3]! };
}

/** The intervals that start from `fromSeconds` to `toSeconds` after the log's start time, both included. */
export function hlogRange(log: Hlog, fromSeconds: number, toSeconds: number): HlogInterval[] {
  return log.intervals.filter(({ startSeconds }) => startSeconds >= fromSeconds && startSeconds <= toSeconds);
}
