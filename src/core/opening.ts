import { hourOfWeek } from "./local-time.ts";
import { HOURS_OF_WEEK } from "./opening-hours.ts";
import type { Instant } from "./spot.ts";

/** When a location is open: an hour of the week each, by the wall clocks of its zone (contract, "opening_168"; B16). */
export interface Opening {
  /** 168 of them; index 0 is Monday 00:00. */
  readonly hours: readonly boolean[];
  /** An IANA zone. */
  readonly timeZone: string;
}

/** Whether it is open at an instant of the wall clock. Hours that are not known, or cannot be told, are open. */
export function isOpen(opening: Opening | null, at: Instant): boolean {
  if (opening === null) return true;
  const hour = hourOfWeek(at, opening.timeZone);
  return hour === null || (opening.hours[hour] ?? true);
}

/**
 * The next instant at which it opens or closes, or `null` where that never happens. Days of 23 and 25 hours, and zones
 * that are off by half or a quarter of an hour, are what the zone's own clocks make of them.
 */
export function nextChange(opening: Opening | null, at: Instant): Instant | null {
  const open = isOpen(opening, at);
  const first = (Math.floor(at / STEP_MS) + 1) * STEP_MS;
  for (let when = first; when <= at + HORIZON_MS; when += STEP_MS) if (isOpen(opening, when) !== open) return when;
  return null;
}

/** Local hours begin on quarters of an hour, everywhere and on every day. */
const STEP_MS = 15 * 60_000;

/** A week, and a day for clocks that change in it. */
const HORIZON_MS = (HOURS_OF_WEEK + 24) * 3_600_000;
