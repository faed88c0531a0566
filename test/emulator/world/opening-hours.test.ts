import { describe, expect, it } from "vitest";
import { hourOfWeek, isOpen } from "../../../src/emulator/world/opening-hours.ts";

describe("opening hours", () => {
  it.each([
    ["2026-03-02T00:00:00Z", "UTC", 0],
    ["2026-03-01T23:59:59Z", "UTC", 167],
    ["2026-03-01T23:00:00Z", "Europe/Berlin", 0],
    ["2026-03-02T04:59:59Z", "America/New_York", 167],
    ["2026-03-02T00:15:00Z", "Asia/Kolkata", 5],
    ["2026-03-29T01:30:00Z", "Europe/Berlin", 147],
  ])("B16 count %s in %s as hour %i of the week", (at, zone, hour) => {
    expect(hourOfWeek(Date.parse(at), zone)).toBe(hour);
  });

  it("are round the clock where there are none", () => {
    expect(isOpen(null, null, 0)).toBe(true);
  });

  it("are taken as UTC where the zone is unknown", () => {
    const onlyMondayNoon = Array.from({ length: 168 }, (_, hour) => hour === 12);

    expect(isOpen(onlyMondayNoon, null, Date.parse("2026-03-02T12:30:00Z"))).toBe(true);
    expect(isOpen(onlyMondayNoon, null, Date.parse("2026-03-02T13:00:00Z"))).toBe(false);
  });
});
