import { stillHolds } from "../backoff.ts";
import type { Instant } from "../spot.ts";

/** A file in the cache, as far as making room is concerned. */
export interface CachedFile {
  readonly digest: string;
  readonly sizeBytes: number;
}

/** How full the cache is; the bytes are those that it takes up on the disk. */
export interface CacheSize {
  readonly files: number;
  readonly bytes: number;
}

/** How full the cache may be. */
export interface CacheLimits {
  /** On the disk, as `bytesOnDisk` counts. */
  readonly maxBytes: number;
  readonly minFreeBytes: number;
  /** `MOST_FILES` by default. */
  readonly maxFiles?: number;
}

/**
 * Pages that ask by another URL at each load, and are told something else each time, leave thousands of small files a day,
 * and each start looks at all of them. So many are more than all the parts of sixty pages of 300 requests.
 */
export const MOST_FILES = 20_000;

/** File systems give out space in blocks of mostly this size: a file of 600 bytes takes up a whole one. */
export const BLOCK_BYTES = 4 * 1024;

/** What a file of that size takes up on a disk, in bytes. */
export function bytesOnDisk(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** How many files have to go, of so many in the cache. */
export function surplusFiles(cachedFiles: number, { maxFiles = MOST_FILES }: CacheLimits): number {
  return Math.max(0, cachedFiles - maxFiles);
}

/**
 * How many bytes have to go so that a file of `incomingBytes` fits: into the budget, of which `cachedBytes` are used, and
 * beside the disk space that must stay free, of which there are `freeBytes`. Below 0 where that many more would fit.
 */
export function missingBytes(
  cachedBytes: number,
  freeBytes: number,
  incomingBytes: number,
  limits: CacheLimits,
): number {
  return bytesOnDisk(incomingBytes) + Math.max(cachedBytes - limits.maxBytes, limits.minFreeBytes - freeBytes);
}

/**
 * Which files to remove, least recently used first, as they are given, so that so many bytes are freed, and so many files;
 * `most` at a time. What is held (on air, ready, being prepared) is never among them.
 */
export function evictions(
  oldestFirst: Iterable<CachedFile>,
  held: ReadonlySet<string>,
  bytes: number,
  files = 0,
  most = Number.POSITIVE_INFINITY,
): readonly CachedFile[] {
  const chosen: CachedFile[] = [];
  let missing = bytes;
  for (const file of oldestFirst) {
    if ((missing <= 0 && chosen.length >= files) || chosen.length === most) break;
    if (held.has(file.digest)) continue;
    chosen.push(file);
    missing -= bytesOnDisk(file.sizeBytes);
  }
  return chosen;
}

/** No file is asked after more often, however often its server wants to be. */
export const SHORTEST_FRESH_MS = 10 * 60_000;
/** Every file that is still used is asked after this often, however long its server promises it. */
export const LONGEST_FRESH_MS = 24 * 3_600_000;

/**
 * Until when a file that has just come from its server needs no look whether it has changed, on the clock of `now`. From
 * its `Cache-Control` (RFC 9111), or `null` where it came without; what came without is fresh for the shortest time.
 */
export function freshUntil(cacheControl: string | null, now: Instant): Instant {
  const seconds = /(?:^|[\s,])max-age="?(\d+)/i.exec(cacheControl ?? "")?.[1];
  const promisedMs = seconds === undefined ? 0 : Number(seconds) * 1000;
  return now + Math.min(Math.max(promisedMs, SHORTEST_FRESH_MS), LONGEST_FRESH_MS);
}

/** Whether a file that is fresh until then needs no look at `now`, wall time. */
export function isFresh(until: Instant, now: Instant): boolean {
  return stillHolds(until, now, LONGEST_FRESH_MS);
}

/** How often in a row what comes from a foreign host could not be had for a page, and when that last counted. */
export interface Absence {
  readonly count: number;
  readonly countedAt: Instant;
}

/** How often an absence holds its page back; after that it is the page's own, as a 404 is (F23). */
export const HELD_BACK_TIMES = 2;
/** Absences that are nearer to each other count as one: a router that restarts must not cost a page its scripts (F23). */
export const APART_MS = 10 * 60_000;

/** Adds an absence at `now`, wall time. The same object where it is too near to the one before. */
export function absentAgain(before: Absence | null, now: Instant): Absence {
  if (before === null) return { count: 1, countedAt: now };
  return isLongAgo(before, now) ? { count: before.count + 1, countedAt: now } : before;
}

/** Whether a page is shown without what is absent. */
export function isPagesOwn(absence: Absence | null): boolean {
  return absence !== null && absence.count >= HELD_BACK_TIMES;
}

/** Whether an absence may count again, and is worth another look. A clock that went back makes no wait longer. */
export function isLongAgo({ countedAt }: Absence, now: Instant): boolean {
  return now < countedAt || now - countedAt >= APART_MS;
}

/** File names of web fonts, for requests that do not say what they are for. */
const FONT_NAME = /\.(?:woff2?|ttf|otf|eot)$/i;

/** Whether a request is for a font: by its destination (Fetch standard, `Sec-Fetch-Dest`) where known, else by its URL. */
export function isFont(url: string, destination: string): boolean {
  return destination === "" ? FONT_NAME.test(url.replace(/[?#].*$/s, "")) : destination === "font";
}
