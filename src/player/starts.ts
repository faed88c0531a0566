import { z } from "zod";
import { readSmallFile, writeSmallFile } from "./small-file.ts";

const startsSchema = z.object({ bootId: z.string(), starts: z.int().nonnegative() });

/** Counts this start of the player in a small file, and says how often it was started since the machine was. */
export function countStart(path: string, bootId: string): number {
  const before = readSmallFile(path, startsSchema);
  const starts = before?.bootId === bootId ? before.starts + 1 : 1;
  writeSmallFile(path, { bootId, starts });
  return starts;
}
