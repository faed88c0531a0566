/** How long to wait before asking again, as a value: it never sleeps and draws nothing at random. */
export interface Backoff {
  /** The wait after the first failure; each later one is twice as long. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly longestMs: number;
  /** How many first waits are exact; later ones are spread, so that a fleet does not come back in one instant. */
  readonly exactWaits: number;
}

/** Between two tries to deliver one proof: 1, 2, 4 s, then doubling to 60 s with jitter (G8). */
export const PROOF_BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000, exactWaits: 3 };

/** A spread wait is at least this share of the whole one: never longer than promised, never a burst. */
export const SHORTEST_SHARE = 0.75;

/**
 * The milliseconds to wait after `failures` failures in a row, the first being 1. `random` is in [0, 1) and decides where
 * a spread wait falls; the result is above 0 and at most `longestMs`.
 */
export function backoffMs(backoff: Backoff, failures: number, random: number): number {
  const wholeMs = Math.min(backoff.firstMs * 2 ** (Math.max(1, failures) - 1), backoff.longestMs);
  if (failures <= backoff.exactWaits) return wholeMs;
  return wholeMs * (1 - (1 - SHORTEST_SHARE) * random);
}
