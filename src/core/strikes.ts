import type { FailureReason } from "./playout.ts";
import type { Instant } from "./spot.ts";

/** How often a creative has failed in a row, when it last did, and until when it is quarantined for that. */
export interface Strikes {
  readonly count: number;
  readonly lastAt: Instant;
  readonly until: Instant;
}

/**
 * Whose fault a failure is. `creative`: it crashed, hung, broke a rule or cannot be decoded. `delivery`: its bytes are not
 * the promised ones, which may be a proxy's doing and pass. `certain`: so it will be at the next try, as with its size.
 */
export type Fault = "creative" | "delivery" | "certain";

/** The strike at which a creative is quarantined. */
export const MOST_STRIKES = 3;
/** Nothing is quarantined for longer. */
export const QUARANTINE_MS = 24 * 3_600_000;
/** The first quarantine for what may pass; each later one is twice as long. */
export const FIRST_QUARANTINE_MS = 60_000;

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

/** Adds a strike; those that are longer ago than any quarantine are forgotten. */
export function struck(before: Strikes | null, fault: Fault, now: Instant): Strikes {
  const recent = before !== null && now >= before.lastAt && now - before.lastAt < QUARANTINE_MS;
  const count = (recent ? before.count : 0) + 1;
  return { count, lastAt: now, until: now + quarantineMs(fault, count) };
}

/** Whether a creative is not to be fetched or played at `now`. A clock that was set back must not make a day longer. */
export function isQuarantined({ until }: Strikes, now: Instant): boolean {
  return now < until && until - now <= QUARANTINE_MS;
}

function quarantineMs(fault: Fault, count: number): number {
  switch (fault) {
    case "certain":
      return QUARANTINE_MS;
    case "creative":
      return count < MOST_STRIKES ? 0 : QUARANTINE_MS;
    case "delivery":
      return count < MOST_STRIKES ? 0 : Math.min(FIRST_QUARANTINE_MS * 2 ** (count - MOST_STRIKES), QUARANTINE_MS);
  }
}
