import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import type { z } from "zod";

/**
 * Writes a small file as JSON, whole or not at all, for its owner only; it is on the disk when this returns. Says whether
 * the disk took it: a full or broken one ends nothing, and the next start knows less.
 */
export function writeSmallFile(path: string, value: unknown): boolean {
  try {
    const file = openSync(`${path}.new`, "w", 0o600);
    try {
      writeSync(file, JSON.stringify(value));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.new`, path);
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
