import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HOURS_OF_WEEK,
  hourOfWeek,
  isOpen,
  nextChange,
  openingText,
  readOpening,
} from "../../src/core/opening-hours.ts";

function opening(text: string, timeZone: string) {
  const reading = readOpening(text);
  if (reading.kind !== "hours") throw new Error(reading.problems.join());
  return { hours: reading.hours, timeZone };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString().slice(0, 16);
}

describe("the next opening or closing", () => {
  it.each([
    ["at eight", "daily 08:00-20:00", "Etc/UTC", "2026-03-02T07:59:59Z", "2026-03-02T08:00"],
    [
      "at closing time itself: the next morning",
      "daily 08:00-20:00",
      "Etc/UTC",
      "2026-03-02T20:00:00Z",
      "2026-03-03T08:00",
    ],
    ["over midnight", "fri 20:00-04:00", "Etc/UTC", "2026-03-06T23:00:00Z", "2026-03-07T04:00"],
    ["over the end of the week", "sun 20:00-04:00", "Etc/UTC", "2026-03-01T23:00:00Z", "2026-03-02T04:00"],
    ["a week away", "mon 08:00-09:00", "Etc/UTC", "2026-03-02T09:00:00Z", "2026-03-09T08:00"],
    [
      "half past, where the zone is half an hour off",
      "daily 08:00-20:00",
      "Asia/Kolkata",
      "2026-03-02T00:00:00Z",
      "2026-03-02T02:30",
    ],
    ["a quarter past, in Kathmandu", "daily 08:00-20:00", "Asia/Kathmandu", "2026-03-02T00:00:00Z", "2026-03-02T02:15"],
    [
      "an hour of UTC earlier once summer time has begun",
      "daily 08:00-20:00",
      "Europe/Berlin",
      "2026-03-28T19:00:00Z",
      "2026-03-29T06:00",
    ],
    [
      "at the skipped hour's end, where it was to open in it",
      "daily 02:00-03:00",
      "Europe/Berlin",
      "2026-03-28T03:00:00Z",
      "2026-03-30T00:00",
    ],
    [
      "after both of the hours that are called two",
      "daily 02:00-03:00",
      "Europe/Berlin",
      "2026-10-25T00:30:00Z",
      "2026-10-25T02:00",
    ],
    [
      "by the half hour that Lord Howe's clocks change",
      "daily 08:00-20:00",
      "Australia/Lord_Howe",
      "2026-04-04T12:00:00Z",
      "2026-04-04T21:30",
    ],
    [
      "two weeks away, where the only hour of the week is skipped in between",
      "sun 02:00-03:00",
      "Europe/Berlin",
      "2026-03-22T02:00:00Z",
      "2026-04-05T00:00",
    ],
    ["never where it is always open", "always", "Etc/UTC", "2026-03-02T00:00:00Z", null],
    ["never where it is never open", "never", "Etc/UTC", "2026-03-02T00:00:00Z", null],
    ["never where there is no such zone", "daily 08:00-20:00", "Mars/Olympus", "2026-03-02T00:00:00Z", null],
  ])("is %s", (_, hours, zone, at, next) => {
    expect(iso(nextChange(opening(hours, zone), Date.parse(at)))).toBe(next);
  });

  it("is the first instant that differs, whatever the hours and the zone", () => {
    const zones = fc.constantFrom("Etc/UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Pacific/Chatham");
    const anOpening = fc.record({ hours: fc.array(fc.boolean(), { minLength: 168, maxLength: 168 }), timeZone: zones });
    const at = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
    fc.assert(
      fc.property(anOpening, at, (some, from) => {
        const next = nextChange(some, from);
        fc.pre(next !== null);
        expect([isOpen(some, next - 1), isOpen(some, next)]).toEqual([isOpen(some, from), !isOpen(some, from)]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("hours that are not known", () => {
  it("are open ones", () => {
    expect(isOpen(null, 0)).toBe(true);
    expect(isOpen(opening("never", "Mars/Olympus"), 0)).toBe(true);
  });
});

describe("the hour of the week", () => {
  it.each([
    ["2026-03-02T00:30:00Z", "Etc/UTC", 0],
    ["2026-03-02T00:30:00Z", "Europe/Berlin", 1],
    ["2026-03-01T23:30:00Z", "Europe/Berlin", 0],
    ["2026-03-02T00:30:00Z", "America/New_York", 6 * 24 + 19],
    // The clocks go forward at 01:00 UTC on 29 March 2026.
    ["2026-03-29T00:59:00Z", "Europe/Berlin", 6 * 24 + 1],
    ["2026-03-29T01:00:00Z", "Europe/Berlin", 6 * 24 + 3],
    ["2026-03-02T00:30:00Z", "Asia/Kolkata", 6],
  ])("of %s in %s is %i", (instant, zone, hour) => {
    expect(hourOfWeek(Date.parse(instant), zone)).toBe(hour);
  });

  it("is not known where there is no such zone", () => {
    expect(hourOfWeek(0, "Mars/Olympus")).toBe(null);
  });
});

/** What text means, written back. */
function rewritten(text: string) {
  const reading = readOpening(text);
  return reading.kind === "hours" ? openingText(reading.hours) : reading.problems;
}

describe("opening hours", () => {
  it.each([
    ["mon-fri 08:00-20:00, sat 10:00-18:00", "mon-fri 08:00-20:00, sat 10:00-18:00"],
    ["Monday-Friday 8-20; Saturday 10-18", "mon-fri 08:00-20:00, sat 10:00-18:00"],
    ["sat,sun 10-18", "sat-sun 10:00-18:00"],
    ["mon wed 10-12", "mon 10:00-12:00, wed 10:00-12:00"],
    ["mon-fri 08:00-12:00, 14:00-18:00", "mon-fri 08:00-12:00, 14:00-18:00"],
    ["mon - fri 08:00 – 20:00", "mon-fri 08:00-20:00"],
    ["fri 20:00-04:00", "fri 20:00-04:00"],
    ["sun 22:00-06:00", "sun 22:00-06:00"],
    ["fri-mon 24h", "mon 00:00-24:00, fri-sun 00:00-24:00"],
    ["fri 20:00-24:00, sat 24h, sun 0-2", "fri 20:00-24:00, sat 00:00-24:00, sun 00:00-02:00"],
    ["daily 09:00-17:00, sun closed", "mon-sat 09:00-17:00"],
    ["mon-fri 08:00-20:00 sat 10:00-18:00", "mon-fri 08:00-20:00, sat 10:00-18:00"],
    ["mon-fri 8-12 14-18 sat, sun 10-18", "mon-fri 08:00-12:00, 14:00-18:00, sat-sun 10:00-18:00"],
    ["mon-fri 8-12, 14-18 sat 10-18", "mon-fri 08:00-12:00, 14:00-18:00, sat 10:00-18:00"],
    ["mon-sat 09:00-18:00 sun closed", "mon-sat 09:00-18:00"],
    ["always sun closed", "mon-sat 00:00-24:00"],
    ["mon 8-20, 10-18 sat, closed sun", "mon 08:00-20:00, sat 10:00-18:00"],
    ["always", "always"],
    ["24/7", "always"],
    ["mon-sun 00:00-24:00", "always"],
    ["never", "never"],
  ])("are read from %j, and written back as %j", (text, written) => {
    expect(rewritten(text)).toBe(written);
  });

  it("begin on Monday at midnight", () => {
    const reading = readOpening("mon 00:00-01:00, sun 23:00-24:00");
    const open = reading.kind === "hours" ? reading.hours.flatMap((hour, index) => (hour ? [index] : [])) : [];

    expect(open).toEqual([0, 167]);
  });

  it.each([
    ["mon 08:30-20:00", ['"08:30-20:00" is not on the whole hour, as schedules have to be']],
    ["mon 8-25", ['"8-25" is not within 00:00-24:00']],
    ["mon 8-8", ['"8-8" has no length; all day is 00:00-24:00']],
    ["mon eight", ['"eight" is not a day: mon, mon-fri, daily']],
    ["08-20", ['"08-20" has no day before it, as in mon-fri 08-20']],
    ["mon", ['"mon" ends with a day that has no hours']],
    ["mon 8-20 sat", ['"mon 8-20 sat" ends with a day that has no hours']],
    ["8-20 mon 10-18", ['"8-20" has no day before it, as in mon-fri 8-20']],
    ["", ["is empty; never means closed all week"]],
    [
      "mon 08:30-20:00, foo 1-2, tue 5",
      [
        '"08:30-20:00" is not on the whole hour, as schedules have to be',
        '"foo" is not a day: mon, mon-fri, daily',
        '"5" is not a span of hours such as 08:00-20:00',
      ],
    ],
  ])("are not read from %j, and all that is wrong is said", (text, problems) => {
    expect(rewritten(text)).toEqual(problems);
  });

  it("come back the same from their text, whatever they are, with its commas and without", () => {
    const week = fc.array(fc.boolean(), { minLength: HOURS_OF_WEEK, maxLength: HOURS_OF_WEEK });
    fc.assert(
      fc.property(week, (hours) => {
        expect(readOpening(openingText(hours))).toEqual({ kind: "hours", hours });
        expect(readOpening(openingText(hours).replaceAll(",", ""))).toEqual({ kind: "hours", hours });
      }),
    );
  });
});
