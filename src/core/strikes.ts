import type { FailureReason } from "./playout.ts";
import type { Instant } from "./spot.ts";

/** How often a creative has failed by its own fault, and when it last did. */
export interface Strikes {
  readonly count: number;
  readonly lastAt: Instant;
}

/** A creative with so many strikes is quarantined… */
export const MOST_STRIKES = 3;
/** …for a day after the last of them. */
export const QUARANTINE_MS = 24 * 3_600_000;

/** What a creative does by itself. A deck that is late or stalls may be the machine's fault, and all would suffer. */
const BLAMED: ReadonlySet<FailureReason> = new Set<FailureReason>(["undecodable", "crashed", "hung", "forbidden"]);

/** Whether a failed playout is held against its creative. */
export function isStrike(reason: FailureReason): boolean {
  return BLAMED.has(reason);
}

/** Adds so many strikes; those of an earlier quarantine are forgotten. */
export function struck(before: Strikes | null, count: number, now: Instant): Strikes {
  return { count: (before !== null && isRecent(before, now) ? before.count : 0) + count, lastAt: now };
}

/** Whether a creative is not to be fetched or played at `now`. */
export function isQuarantined(strikes: Strikes, now: Instant): boolean {
  return strikes.count >= MOST_STRIKES && isRecent(strikes, now);
}

/** A clock that was set back must not make a day longer. */
function isRecent({ lastAt }: Strikes, now: Instant): boolean {
  return now >= lastAt && now - lastAt < QUARANTINE_MS;
}
