import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { z } from "zod";

/** Readable for its owner only, unless others are to read it. */
const OWNER_ONLY = 0o600;

/**
 * Writes a small file as JSON, whole or not at all, by default for its owner only; it is on the disk when this
 * returns. Says whether the disk took it: a full or broken one ends nothing, and the next start knows less.
 */
export function writeSmallFile(path: string, value: unknown, mode = OWNER_ONLY): boolean {
  const part = `${path}.new`;
  try {
    const file = openSync(part, "w", mode);
    try {
      // Unlike a single write, which a disk that gets full cuts short without a word.
      writeFileSync(file, JSON.stringify(value));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
    return true;
  } catch {
    removeSmallFile(part);
    return false;
  }
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
