import type { Instant } from "../../core/spot.ts";

/** Whether a place is open; without a schedule it always is. The schedule is in local wall hours of its zone (B16). */
export function isOpen(opening168: readonly boolean[] | null, timezone: string | null, at: Instant): boolean {
  return opening168 === null || opening168[hourOfWeek(at, timezone ?? "UTC")] === true;
}

/** 0 is Monday 00:00 to 01:00, 167 Sunday 23:00 to 24:00 (contract, "Location"). */
export function hourOfWeek(at: Instant, timezone: string): number {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  return WEEKDAYS.indexOf(parts.get("weekday") ?? "") * 24 + Number(parts.get("hour"));
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Making a format takes longer than all else in a spot; there are no more of them than time zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  formats.set(timeZone, made);
  return made;
}
