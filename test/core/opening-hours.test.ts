import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOURS_OF_WEEK, openingText, readOpening } from "../../src/core/opening-hours.ts";

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

  it("come back the same from their text, whatever they are", () => {
    const week = fc.array(fc.boolean(), { minLength: HOURS_OF_WEEK, maxLength: HOURS_OF_WEEK });
    fc.assert(
      fc.property(week, (hours) => {
        expect(readOpening(openingText(hours))).toEqual({ kind: "hours", hours });
      }),
    );
  });
});
