import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Instant } from "../core/spot.ts";
import { readSmallFile, writeSmallFile } from "./small-file.ts";

/** A run's reading of when its machine started. */
export interface BootReading {
  /** Wall clock, epoch milliseconds. */
  readonly wall: Instant;
  /** Since the machine started, milliseconds, sleep included. */
  readonly uptimeMs: number;
}

/** Two runs that reckon the start of their machine to within this were in one boot: the wall clock is corrected a little. */
export const SAME_BOOT_WITHIN_MS = 10_000;

const bootSchema = z.object({
  bootId: z.string().min(1),
  bootedAt: z.number(),
  uptimeMs: z.number().nonnegative(),
});

/**
 * Names the machine's boot where the system has no name for it: the one kept in a small file, as long as the machine
 * started when it had then. A wall clock that was set since makes it another boot, which costs nothing but a look at the
 * service's time; that a machine has started again is missed only where its wall clock starts at the same time each time.
 */
export function bootIdIn(path: string, { wall, uptimeMs }: BootReading): string {
  const before = readSmallFile(path, bootSchema);
  const bootedAt = wall - uptimeMs;
  const isSame =
    before !== null && uptimeMs >= before.uptimeMs && Math.abs(bootedAt - before.bootedAt) <= SAME_BOOT_WITHIN_MS;
  const bootId = isSame ? before.bootId : randomUUID();
  makeFolderOf(path);
  writeSmallFile(path, { bootId, bootedAt, uptimeMs });
  return bootId;
}

/** The first run of all comes before its folder; what needs the folder complains where it cannot be made. */
function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch {
    return;
  }
}

const startsSchema = z.object({ bootId: z.string(), starts: z.int().nonnegative() });

/** Counts this start of the player in a small file, and says how often it was started since the machine was. */
export function countStart(path: string, bootId: string): number {
  const before = readSmallFile(path, startsSchema);
  const starts = before?.bootId === bootId ? before.starts + 1 : 1;
  writeSmallFile(path, { bootId, starts });
  return starts;
}

/** The version of Spotloop that this is, as its package says. */
export function playerVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
