import type { Instant } from "./spot.ts";

/** A file in the cache, as far as making room is concerned. */
export interface CachedFile {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly usedAt: Instant;
}

/** How full the cache may be. */
export interface CacheLimits {
  readonly maxBytes: number;
  readonly minFreeBytes: number;
}

/**
 * Which files to remove, least recently used first, so that `incomingBytes` more fit: into the budget, and beside the
 * disk space that must stay free. What is held (on air, ready, being prepared) is never among them.
 */
export function evictions(
  files: readonly CachedFile[],
  held: ReadonlySet<string>,
  freeBytes: number,
  incomingBytes: number,
  limits: CacheLimits,
): readonly string[] {
  const total = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const overBudget = total + incomingBytes - limits.maxBytes;
  const shortOfSpace = limits.minFreeBytes + incomingBytes - freeBytes;
  let missing = Math.max(overBudget, shortOfSpace);
  const chosen: string[] = [];
  for (const file of [...files].sort((one, other) => one.usedAt - other.usedAt)) {
    if (missing <= 0) break;
    if (held.has(file.digest)) continue;
    chosen.push(file.digest);
    missing -= file.sizeBytes;
  }
  return chosen;
}
