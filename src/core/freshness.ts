import type { Instant } from "./spot.ts";

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
