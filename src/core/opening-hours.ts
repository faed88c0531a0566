import type { Instant } from "./spot.ts";

/** Hours in a week; index 0 of a schedule is Monday 00:00 (contract, "opening_168"). */
export const HOURS_OF_WEEK = 168;

/** When a location is open: an hour of the week each, by the wall clocks of its zone (contract, "opening_168"; B16). */
export interface Opening {
  /** 168 of them; index 0 is Monday 00:00. */
  readonly hours: readonly boolean[];
  /** An IANA zone. */
  readonly timeZone: string;
}

/** Whether it is open at an instant of the wall clock. Hours that are not known, or cannot be told, are open. */
export function isOpen(opening: Opening | null, at: Instant): boolean {
  return doorOf(opening)(at);
}

/**
 * The next instant at which it opens or closes, or `null` where that never happens. Days of 23 and 25 hours, and zones
 * that are off by half or a quarter of an hour, are what the zone's own clocks make of them.
 */
export function nextChange(opening: Opening | null, at: Instant): Instant | null {
  // Each instant that is looked at costs a fraction of a millisecond.
  if (opening === null || new Set(opening.hours).size === 1) return null;
  const isOpenAt = doorOf(opening);
  const open = isOpenAt(at);
  const first = (Math.floor(at / STEP_MS) + 1) * STEP_MS;
  for (let when = first; when <= at + HORIZON_MS; when += STEP_MS) if (isOpenAt(when) !== open) return when;
  return null;
}

/** Local hours begin on quarters of an hour, everywhere and on every day. */
const STEP_MS = 15 * 60_000;

/** Two weeks, since the only hour of one can be skipped, and a day for clocks that change in them. */
const HORIZON_MS = (2 * HOURS_OF_WEEK + 24) * 3_600_000;

/**
 * The hour of the week, 0 for Monday 00:00, that an instant falls into by the wall clocks of an IANA zone (B16); null
 * where there is no such zone.
 */
export function hourOfWeek(at: Instant, timeZone: string): number | null {
  return weekClock(timeZone)(at);
}

/** Whether it is open, for many instants: the zone's clock is made once, which takes longer than to read it. */
function doorOf(opening: Opening | null): (at: Instant) => boolean {
  if (opening === null) return () => true;
  const hourAt = weekClock(opening.timeZone);
  return (at) => {
    const hour = hourAt(at);
    return hour === null || (opening.hours[hour] ?? true);
  };
}

function weekClock(timeZone: string): (at: Instant) => number | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  } catch {
    return () => null;
  }
  return (at) => {
    if (Number.isNaN(new Date(at).getTime())) return null;
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = WEEK.indexOf(parts.get("weekday") ?? "");
    return day === -1 ? null : day * 24 + Number(parts.get("hour"));
  };
}

const WEEK: readonly string[] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The days of a week as schedules are written, Monday first. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** A schedule read from text, or everything that is wrong with the text. */
export type OpeningReading =
  | { readonly kind: "hours"; readonly hours: readonly boolean[] }
  | { readonly kind: "unreadable"; readonly problems: readonly string[] };

/**
 * Reads opening hours as people write them: `mon-fri 08:00-20:00, sat 10:00-18:00`, `sat,sun 10-18`, `mon-fri
 * 08:00-12:00, 14:00-18:00`, `fri 20:00-04:00` (until Saturday morning), `daily 24h`, `always`, `never`. What comes later
 * adds to what came before; `closed` takes the hours of its days away. Between entries a comma may be left out.
 */
export function readOpening(text: string): OpeningReading {
  const hours = Array<boolean>(HOURS_OF_WEEK).fill(false);
  const problems: string[] = [];
  let days: readonly number[] = [];
  let daysGoOn = false;
  for (const { named, times } of text.split(/[,;\n]/).flatMap(entriesIn)) {
    const found = named.map(daysOf);
    const unknown = named.filter((_, index) => found[index] === null);
    problems.push(...unknown.map((word) => `"${word}" is not a day: mon, mon-fri, daily`));
    if (unknown.length > 0) continue;
    if (named.length > 0) days = [...(daysGoOn ? days : []), ...found.flatMap((some) => some ?? [])];
    daysGoOn = times.length === 0;
    for (const time of times) {
      const opened =
        ALL_WEEK.has(time) && days.length === 0 ? setDays(hours, EVERY_DAY, time) : setDays(hours, days, time);
      if (opened !== null) problems.push(opened);
    }
  }
  if (daysGoOn) problems.push(`"${text.trim()}" ends with a day that has no hours`);
  if (text.trim() === "") problems.push("is empty; never means closed all week");
  return problems.length > 0 ? { kind: "unreadable", problems } : { kind: "hours", hours };
}

/** Words for days, and words for hours on them. */
interface Entry {
  readonly named: readonly string[];
  readonly times: readonly string[];
}

/** What stands between two commas: an entry, or several, each of which begins with a day that follows hours. */
function entriesIn(part: string): readonly Entry[] {
  const words = part
    .trim()
    .toLowerCase()
    .replace(/\s*[-–]\s*/g, "-")
    .split(/\s+/)
    .filter((word) => word !== "");
  const firstDay = words.findIndex(isDayWord);
  const named = firstDay === -1 ? [] : words.slice(firstDay);
  // As in "10:00-18:00 sat".
  if (named.length > 0 && named.every(isDayWord)) return [{ named, times: words.slice(0, firstDay) }];
  const entries: { named: string[]; times: string[] }[] = [];
  for (const word of words) {
    const last = entries.at(-1);
    const goesOn = last !== undefined && (last.times.length === 0 || !isDayWord(word));
    const entry = goesOn ? last : { named: [], times: [] };
    if (!goesOn) entries.push(entry);
    (isDayWord(word) ? entry.named : entry.times).push(word);
  }
  return entries;
}

function isDayWord(word: string): boolean {
  return /^[a-z]/.test(word) && !WHOLE.has(word);
}

const ALL_WEEK: ReadonlySet<string> = new Set(["always", "24/7", "never"]);
const WHOLE: ReadonlySet<string> = new Set([...ALL_WEEK, "24h", "open", "closed"]);
const EVERY_DAY: readonly number[] = DAYS.map((_, day) => day);

/** The days that a word such as `mon`, `Saturday`, `fri-mon` or `daily` names, or null. */
function daysOf(word: string): readonly number[] | null {
  if (word === "daily" || word === "everyday") return EVERY_DAY;
  const [first, last, ...more] = word.split("-").map(dayOf);
  if (first === undefined || first === -1 || last === -1 || more.length > 0) return null;
  const length = last === undefined ? 1 : ((last - first + 7) % 7) + 1;
  return Array.from({ length }, (_, index) => (first + index) % 7);
}

function dayOf(name: string): number {
  return DAYS.findIndex((day) => name === day || (name.length > 3 && LONG_NAMES[day].startsWith(name)));
}

const LONG_NAMES: Readonly<Record<(typeof DAYS)[number], string>> = {
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
  sun: "sunday",
};

/** Opens, or closes, the hours that one word means on some days; what is wrong with the word, or null. */
function setDays(hours: boolean[], days: readonly number[], time: string): string | null {
  if (days.length === 0) return `"${time}" has no day before it, as in mon-fri ${time}`;
  if (time === "closed" || time === "never") return fill(hours, days, 0, 24, false);
  if (WHOLE.has(time)) return fill(hours, days, 0, 24, true);
  const match = /^(\d{1,2})(?::(\d{2}))?-(\d{1,2})(?::(\d{2}))?$/.exec(time);
  if (match === null) return `"${time}" is not a span of hours such as 08:00-20:00`;
  const [, from = "", fromMinutes = "00", to = "", toMinutes = "00"] = match;
  if (fromMinutes !== "00" || toMinutes !== "00") return `"${time}" is not on the whole hour, as schedules have to be`;
  const [start, end] = [Number(from), Number(to)];
  if (start > 23 || end > 24) return `"${time}" is not within 00:00-24:00`;
  if (start === end) return `"${time}" has no length; all day is 00:00-24:00`;
  return fill(hours, days, start, end > start ? end : end + 24, true);
}

function fill(hours: boolean[], days: readonly number[], start: number, end: number, open: boolean): null {
  for (const day of days) {
    for (let hour = start; hour < end; hour++) hours[(day * 24 + hour) % HOURS_OF_WEEK] = open;
  }
  return null;
}

/** A schedule as text that `readOpening` reads back to the same hours. */
export function openingText(hours: readonly boolean[]): string {
  if (hours.every((open) => open)) return "always";
  if (!hours.some((open) => open)) return "never";
  const written = spansByDay(hours).map((spans) => spans.map(spanText).join(", "));
  const entries: string[] = [];
  for (let day = 0; day < 7; ) {
    let last = day;
    while (last < 6 && written[last + 1] === written[day]) last++;
    if (written[day] !== "") entries.push(`${last === day ? DAYS[day] : `${DAYS[day]}-${DAYS[last]}`} ${written[day]}`);
    day = last + 1;
  }
  return entries.join(", ");
}

/** From and to, in hours of the day on which the span begins; past 24 it ends on the next. */
type Span = readonly [from: number, to: number];

/** The spans that begin on each day. One that runs past midnight stays whole if it ends within 24 hours. */
function spansByDay(hours: readonly boolean[]): readonly Span[][] {
  const days: Span[][] = DAYS.map(() => []);
  const at = (hour: number) => hours[hour % HOURS_OF_WEEK] ?? false;
  for (let start = 0; start < HOURS_OF_WEEK; start++) {
    if (!at(start) || at(start + HOURS_OF_WEEK - 1)) continue;
    let end = start + 1;
    while (at(end)) end++;
    for (const [from, to] of end - start < 24 ? [[start, end] as const] : atMidnights(start, end)) {
      const day = Math.floor(from / 24);
      days[day % 7]?.push([from - day * 24, to - day * 24]);
    }
  }
  return days.map((spans) => spans.sort(([one], [other]) => one - other));
}

function atMidnights(start: number, end: number): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const to = Math.min(end, (Math.floor(from / 24) + 1) * 24);
    spans.push([from, to]);
    from = to;
  }
  return spans;
}

function spanText([from, to]: Span): string {
  return `${clock(from)}-${clock(to > 24 ? to - 24 : to)}`;
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}
