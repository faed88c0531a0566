import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { z } from "zod";

const startsSchema = z.object({ bootId: z.string(), starts: z.int().nonnegative() });

/** Counts this start of the player in a small file, and says how often it was started since the machine was. */
export function countStart(path: string, bootId: string): number {
  const before = readStarts(path);
  const starts = before?.bootId === bootId ? before.starts + 1 : 1;
  const file = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(file, JSON.stringify({ bootId, starts }));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  return starts;
}

function readStarts(path: string): z.infer<typeof startsSchema> | null {
  try {
    return startsSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}
