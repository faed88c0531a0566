import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOpen, nextChange } from "../../src/core/opening.ts";
import { readOpening } from "../../src/core/opening-hours.ts";

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
