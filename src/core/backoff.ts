import type { FailureReason, Instant } from "./spot.ts";

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

/** How often a creative has failed in a row, when it last did, and until when it is blocked for that. */
export interface Strikes {
  readonly count: number;
  readonly lastAt: Instant;
  readonly until: Instant;
}

/**
 * Whose fault a failure is. `creative`: it crashed, hung, broke a rule or cannot be decoded. `delivery`: its bytes are not
 * the promised ones, which may be a proxy's doing and pass. `certain`: so it will be at the next try, as with its size.
 */
export type StrikeKind = "creative" | "delivery" | "certain";

/** The strike at which a creative is blocked. */
const MOST_STRIKES = 3;
/** Nothing is blocked for longer. */
export const LONGEST_BLOCK_MS = 24 * 3_600_000;
/** The first block for a fault that may pass; each later one is twice as long. */
export const FIRST_BLOCK_MS = 60_000;

/** What a creative does by itself. A deck that is late or stalls may be the machine's fault, and all would suffer. */
const BLAMED: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "undecodable",
  "crashed",
  "hung",
  "forbidden",
  "memory",
]);

/** Whether a failed playout is held against its creative. */
export function isStrike(reason: FailureReason): boolean {
  return BLAMED.has(reason);
}

/** Adds a strike; those older than the longest block are forgotten. */
export function struck(before: Strikes | null, fault: StrikeKind, now: Instant): Strikes {
  const recent = before !== null && now >= before.lastAt && now - before.lastAt < LONGEST_BLOCK_MS;
  const count = (recent ? before.count : 0) + 1;
  return { count, lastAt: now, until: now + blockMs(fault, count) };
}

/** Whether a creative is not to be fetched or played at `now`. */
export function isBlocked({ until }: Strikes, now: Instant): boolean {
  return stillHolds(until, now, LONGEST_BLOCK_MS);
}

/**
 * Whether what holds until an instant, and was never to hold for longer than `longestMs`, still does at `now`, wall time. A
 * clock that was set back must not make it longer.
 */
export function stillHolds(until: Instant, now: Instant, longestMs: number): boolean {
  return now < until && until - now <= longestMs;
}

function blockMs(fault: StrikeKind, count: number): number {
  switch (fault) {
    case "certain":
      return LONGEST_BLOCK_MS;
    case "creative":
      return count < MOST_STRIKES ? 0 : LONGEST_BLOCK_MS;
    case "delivery":
      return count < MOST_STRIKES ? 0 : Math.min(FIRST_BLOCK_MS * 2 ** (count - MOST_STRIKES), LONGEST_BLOCK_MS);
  }
}
