import type { Instant } from "../spot.ts";
import { SHORTEST_FRESH_MS } from "./cache-policy.ts";

/** How long a page took to load when all of it came from the cache. */
export interface PageLoads {
  /** The document that it was: with another one, nothing is known any more. */
  readonly digest: string;
  /** How long the last background load took, in milliseconds; `null` where there was none. */
  readonly recordedMs: number | null;
  /** To be seen, in milliseconds, newest last, at most `RECENT_LOADS`. */
  readonly seenMs: readonly number[];
  /** Wall time at which it was last loaded in the background, so that all its parts are in the cache. */
  readonly recordedAt: Instant;
}

/** How many loads are remembered: one slow one among them makes a page begin early; older ones say nothing of now. */
const RECENT_LOADS = 5;
/**
 * How long a recording is good for. What a page has may have changed by then: once it was recorded anew, it is brought up to
 * date, before its turn.
 */
const RECORDING_LASTS_MS = SHORTEST_FRESH_MS;

/** Whether a page is to be loaded in the background before it is shown, at `now`, wall time. A clock that went back says yes. */
export function needsRecording(loads: PageLoads | null, digest: string, now: Instant): boolean {
  if (loads === null || loads.digest !== digest) return true;
  return now < loads.recordedAt || now - loads.recordedAt > RECORDING_LASTS_MS;
}

/** What a load may take longer than any before of which something is known. */
const MARGIN_MS = 60;
/** Loads of a page on one machine differ by this share of the longest at most, but for one that was held up. */
const WIDEST_SPREAD = 0.3;

/**
 * How long before its turn a page must begin to load (F22): the longest of its recent visible loads, with a margin as wide
 * as they differ. After fewer than two the margin is the widest; after none the background load counts, which other loads
 * may have slowed down. `mostMs` where nothing is known, and never more.
 */
export function leadMs(loads: PageLoads | null, mostMs: number): number {
  if (loads === null) return mostMs;
  const known = loads.seenMs.length > 0 ? loads.seenMs : loads.recordedMs === null ? [] : [loads.recordedMs];
  if (known.length === 0) return mostMs;
  const [shortest, longest] = [Math.min(...known), Math.max(...known)];
  const widest = WIDEST_SPREAD * longest;
  const spread = known.length === 1 ? widest : Math.min(longest - shortest, widest);
  return Math.min(Math.ceil(longest + spread + MARGIN_MS), mostMs);
}

/**
 * Takes in a background load, of which all came from the cache, at `now`, wall time. A page that takes longer than it did
 * the last time is another one: its visible loads say nothing any more.
 */
export function recorded(loads: PageLoads | null, digest: string, loadMs: number, now: Instant): PageLoads {
  const before = loads?.digest === digest ? loads : null;
  const isAsFast = before?.recordedMs != null && loadMs <= (1 + WIDEST_SPREAD) * before.recordedMs;
  return { digest, recordedMs: loadMs, seenMs: isAsFast ? before.seenMs : [], recordedAt: now };
}

/** Adds a visible load, of which all came from the cache: it does not make up for a recording. */
export function noted(loads: PageLoads | null, digest: string, loadMs: number): PageLoads {
  const before: PageLoads = loads?.digest === digest ? loads : { digest, recordedMs: null, seenMs: [], recordedAt: 0 };
  return { ...before, seenMs: [...before.seenMs, loadMs].slice(-RECENT_LOADS) };
}
