import { isUtf8 } from "node:buffer";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { z } from "zod";

/** Readable for its owner only, unless others are to read it. */
const OWNER_ONLY = 0o600;

/**
 * Writes a small file as JSON, whole or not at all, by default for its owner only; it is on the disk when this
 * returns. Says whether the disk took it: a full or broken one ends nothing, and the next start knows less.
 */
export function writeSmallFile(path: string, value: unknown, mode?: number): boolean {
  const part = `${path}.new`;
  try {
    // A crash may have left one, and in a folder of another's root follows no link.
    rmSync(part, { force: true });
    const file = openSync(part, "wx", mode ?? OWNER_ONLY);
    try {
      // The unit's UMask takes from every mode that a file is made with.
      if (mode !== undefined) fchmodSync(file, mode);
      // Unlike a single write, which a disk that gets full cuts short without a word.
      writeFileSync(file, JSON.stringify(value));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    replaceFile(part, path);
    return true;
  } catch {
    removeSmallFile(part);
    return false;
  }
}

/** For so long a file is tried to be replaced that somebody has open; a virus scanner looks at each that was written. */
const IN_USE_MS = 200;

/**
 * Puts a file in another's place. Windows refuses that for as long as anybody has either of them open: there it is tried
 * for a moment, in which nothing else is done. Throws the system's errors.
 */
export function replaceFile(from: string, to: string, platform = process.platform, rename = renameSync): void {
  const startedAt = performance.now();
  for (;;) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      const mayPass = platform === "win32" && isInUse(error) && performance.now() - startedAt < IN_USE_MS;
      if (!mayPass) throw error;
    }
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(EPERM|EBUSY|EACCES)$/.test(String(error.code));
}

/** Removes a file where it is there; says whether it is gone. */
export function removeSmallFile(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** What a small file holds, or `null` where it is not there, cannot be read or is not as it should be. */
export function readSmallFile<T>(path: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** What a text file says, or why that cannot be told. */
export type TextReading =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "unreadable";
      /** The system's, such as `ENOENT`; null where the file is too large. */
      readonly code: string | null;
      /** In words that follow the file's name. */
      readonly why: string;
    };

/** Reads a text of `mostBytes` at most that somebody made, in whichever encoding it is (`textIn`), from a file or what is open. */
export function readTextFile(file: string | number, mostBytes: number): TextReading {
  try {
    const bytes = bytesIn(file, mostBytes);
    if (bytes === null) return { kind: "unreadable", code: null, why: `is larger than ${mostBytes} bytes` };
    return { kind: "text", text: textIn(bytes) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return { kind: "unreadable", code, why: `cannot be read (${code})` };
  }
}

/** So much is read at a time, and what comes through a pipe is waited for. */
const PIECE_BYTES = 64 * 1024;
const COMES_WITHIN_MS = 20;

/**
 * All of a file, or of what is open already, or null where that is more. It is read rather than asked: devices and pipes have
 * no size, and may have no end. Throws the system's errors.
 */
export function bytesIn(file: string | number, mostBytes: number): Buffer | null {
  const descriptor = typeof file === "number" ? file : openSync(file, "r");
  try {
    const pieces: Buffer[] = [];
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let sizeBytes = 0; sizeBytes <= mostBytes; ) {
      const count = readWhenThere(descriptor, piece);
      if (count === 0) return Buffer.concat(pieces);
      sizeBytes += count;
      pieces.push(Buffer.from(piece.subarray(0, count)));
    }
    return null;
  } finally {
    if (descriptor !== file) closeSync(descriptor);
  }
}

/** Whoever writes into a pipe may not have done so yet. */
function readWhenThere(descriptor: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, into);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, COMES_WITHIN_MS);
    }
  }
}

/**
 * A text in one of the encodings in which editors, shells and spreadsheets write it, without its byte order mark: Windows
 * PowerShell writes UTF-16, and what is not UTF-8 either is taken for Windows-1252.
 */
export function textIn(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  const utf16 = { fffe: "utf-16le", feff: "utf-16be" }[mark];
  return new TextDecoder(utf16 ?? (isUtf8(bytes) ? "utf-8" : "windows-1252")).decode(bytes);
}
