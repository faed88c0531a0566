import type { Instant } from "./spot.ts";

/** Why a spot request brought nothing to show. */
export type Miss =
  | { readonly kind: "no-fill" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  | { readonly kind: "denied" };

/** A spot is asked for this long before the spot on air ends, unless downloads take longer (G4). */
export const SHORTEST_LEAD_MS = 20_000;
/** However slow downloads are, a spot asked for earlier than this would be stale too often. */
export const LONGEST_LEAD_MS = 5 * 60_000;
/** Wait after a 429 that does not say how long (G7). */
export const LIMITED_WAIT_MS = 30_000;
/** Longest wait that a 429 can order: past it a screen would stay without spots because of one bad header. */
export const LONGEST_LIMITED_WAIT_MS = 60 * 60_000;
/** Wait after 401, 403 or 404: somebody must change the configuration or the screen (G7). */
export const DENIED_WAIT_MS = 5 * 60_000;

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 120_000;
const JITTER = 0.25;

/**
 * How long to rest after a miss, in milliseconds. `misses` counts the misses in a row, this one included: the first
 * is asked again at once, then 2 s doubling to 2 min, each longer by up to a quarter (G6). `dice` is in [0, 1).
 */
export function restAfter(miss: Miss, misses: number, dice: number): number {
  switch (miss.kind) {
    case "limited":
      return Math.min(miss.retryAfterMs ?? LIMITED_WAIT_MS, LONGEST_LIMITED_WAIT_MS);
    case "denied":
      return DENIED_WAIT_MS;
    case "no-fill":
    case "unavailable": {
      if (misses < 2) return 0;
      const doubled = FIRST_WAIT_MS * 2 ** Math.min(misses - 2, 10);
      return Math.min(doubled * (1 + JITTER * dice), LONGEST_WAIT_MS);
    }
  }
}

/** When to ask for the spot after the one on air: at its start or `leadOf` before its end, whichever is later (G4). */
export function askAt(spotStartedAt: Instant, spotEndsAt: Instant, recentPreparationMs: number): Instant {
  return Math.max(spotStartedAt, spotEndsAt - leadOf(recentPreparationMs));
}

function leadOf(recentPreparationMs: number): number {
  return Math.min(Math.max(SHORTEST_LEAD_MS, 2 * recentPreparationMs), LONGEST_LEAD_MS);
}
