import type { Instant } from "./spot.ts";

/**
 * The hour of the week, 0 for Monday 00:00, that an instant falls into by the wall clocks of an IANA zone (B16); null
 * where there is no such zone.
 */
export function hourOfWeek(at: Instant, timeZone: string): number | null {
  try {
    const format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = WEEK.indexOf(parts.get("weekday") ?? "");
    return day === -1 ? null : day * 24 + Number(parts.get("hour"));
  } catch {
    return null;
  }
}

const WEEK: readonly string[] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
