import type { Instant } from "../../core/spot.ts";

/** What a position tells about a place: an IANA zone and an ISO 3166-1 alpha-3 country, `null` where it has none (B15). */
export interface Place {
  readonly timezone: string | null;
  readonly country: string | null;
}

/** Looks up a position in degrees; half a position is nowhere. */
export type Places = (lat: number | null, long: number | null) => Place;

/** Reads the maps. They take tens of milliseconds, so only who starts an emulator pays for them. */
export async function loadPlaces(): Promise<Places> {
  const [{ default: zoneAt }, { iso1A3Code }] = await Promise.all([
    import("@photostructure/tz-lookup"),
    import("@rapideditor/country-coder"),
  ]);
  return (lat, long) => {
    if (lat === null || long === null) return { timezone: null, country: null };
    // "territory": Puerto Rico and Hong Kong have codes of their own in ISO 3166-1.
    return { timezone: zoneAt(lat, long), country: iso1A3Code([long, lat], { level: "territory" }) };
  };
}

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
