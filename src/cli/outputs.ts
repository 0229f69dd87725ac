import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Parsed, parsed, unparsed } from "../units/parsed.js";

/**
 * A file that will hold results. It is opened before the run, so that a path that cannot be written is known before an hour has
 * been measured; it is written beside its place and moved there when whole, so that nothing half-written is taken for whole.
 */
export class Output {
  readonly path: string;
  /** Where it is while it is written; a device or pipe has no such place. */
  readonly partPath: string | undefined;
  private readonly descriptor: number;
  private failure: string | undefined;

  private constructor(path: string, partPath: string | undefined, descriptor: number) {
    this.path = path;
    this.partPath = partPath;
    this.descriptor = descriptor;
  }

  static open(flag: string, path: string): Parsed<Output> {
    try {
      const real = realPath(path);
      // Devices and pipes are written as they are; moving a file over /dev/null would do harm.
      const special = isSpecial(real);
      const partPath = special ? undefined : `${real}.part`;
      if (!special && isDirectory(real)) return unparsed(`${flag}: ${path} is a directory; name a file in it`);
      if (!special) checkReplaceable(real);
      const flags = constants.O_WRONLY | (special ? 0 : constants.O_CREAT | constants.O_TRUNC);
      return parsed(new Output(real, partPath, openSync(partPath ?? real, flags, 0o666)));
    } catch (error) {
      return unparsed(`${flag}: ${path} cannot be written: ${explainOpening(path, error)}`);
    }
  }

  /** Appends text. The first failure is kept, and ends the writing. */
  write(text: string): void {
    if (this.failure !== undefined) return;
    try {
      writeAll(this.descriptor, text);
    } catch (error) {
      this.failure = explain(error);
    }
  }

  /** @returns what went wrong, or `undefined` if all that was written is in its place */
  finish(): string | undefined {
    try {
      closeSync(this.descriptor);
      if (this.failure === undefined && this.partPath !== undefined) renameSync(this.partPath, this.path);
    } catch (error) {
      this.failure ??= explain(error);
    }
    return this.failure;
  }

  /** Nothing was measured: leaves no trace. */
  discard(): void {
    closeSync(this.descriptor);
    this.dropPart();
  }

  /** Removes what was written of it, when that is of no use. */
  dropPart(): void {
    if (this.partPath !== undefined) rmSync(this.partPath, { force: true });
  }
}

/** Saves what could not be written to its own place somewhere else. @returns where, or `undefined` if nowhere */
export function rescue(name: string, text: string): string | undefined {
  for (const folder of [tmpdir(), process.cwd(), "/dev/shm"]) {
    const path = join(folder, `tailrace-rescued-${process.pid}-${basename(name)}`);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
      writeAll(descriptor, text);
      closeSync(descriptor);
      return path;
    } catch {
      if (descriptor !== undefined) dropFailed(descriptor, path);
    }
  }
  return undefined;
}

function dropFailed(descriptor: number, path: string): void {
  try {
    closeSync(descriptor);
    unlinkSync(path);
  } catch {
    // It could not be made whole, and cannot be removed either: there is nothing left to try.
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realpathSync(dirname(path)), basename(path));
  }
}

function isSpecial(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

const isDirectory = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A file that exists must be writable itself: a move would replace it even where its owner forbade writing. */
function checkReplaceable(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  const descriptor = openSync(path, constants.O_WRONLY);
  fstatSync(descriptor);
  closeSync(descriptor);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is not a folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would be larger than files may be",
};

/** /proc and its like say of a file that cannot be made that it does not exist. */
function explainOpening(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && isDirectory(dirname(path)) ? "no file can be made in that folder" : explain(error);
}

export function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}
