import type { Instant } from "../../core/spot.ts";

/** Whether a place is open; without a schedule it always is. The schedule is in local wall hours of its zone (B16). */
export function isOpen(opening168: readonly boolean[] | null, timezone: string | null, at: Instant): boolean {
  return opening168 === null || opening168[hourOfWeek(at, timezone ?? "UTC")] === true;
}

/** 0 is Monday 00:00 to 01:00, 167 Sunday 23:00 to 24:00 (contract, "Location"). */
export function hourOfWeek(at: Instant, timezone: string): number {
  const zone = zoneOf(timezone);
  const minute = Math.floor(at / 60_000);
  if (zone.minute !== minute) {
    const parts = new Map(zone.format.formatToParts(at).map((part) => [part.type, part.value]));
    zone.hour = WEEKDAYS.indexOf(parts.get("weekday") ?? "") * 24 + Number(parts.get("hour"));
    zone.minute = minute;
  }
  return zone.hour;
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** A time zone with the hour of the week that was asked for last: formatting takes as long as half of a spot. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  minute: number | null;
  hour: number;
}

/** Making a format takes longer than all else in a spot; there are no more of them than time zones. */
const zones = new Map<string, Zone>();

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  const made = { format, minute: null, hour: 0 };
  zones.set(timeZone, made);
  return made;
}
