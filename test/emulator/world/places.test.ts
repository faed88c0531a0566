import { describe, expect, it } from "vitest";
import { hourOfWeek, isOpen, loadPlaces } from "../../../src/emulator/world/places.ts";

const places = await loadPlaces();

describe("a position", () => {
  it.each([
    ["Hamburg", 53.55, 9.99, "Europe/Berlin", "DEU"],
    ["New York", 40.71, -74.0, "America/New_York", "USA"],
    ["Sydney", -33.86, 151.21, "Australia/Sydney", "AUS"],
    ["Kathmandu", 27.72, 85.32, "Asia/Kathmandu", "NPL"],
    ["San Juan", 18.46, -66.1, "America/Puerto_Rico", "PRI"],
    ["Hong Kong", 22.3, 114.17, "Asia/Hong_Kong", "HKG"],
    ["the Gulf of Guinea", 0, 0, "Etc/GMT", null],
    ["the North Pole", 90, 0, "Etc/GMT", null],
  ])("B15 in %s has a zone and a country", (_, lat, long, timezone, country) => {
    expect(places(lat, long)).toEqual({ timezone, country });
  });

  it("B15 has a zone that the machine knows, wherever it is", () => {
    for (let lat = -90; lat <= 90; lat += 15) {
      for (let long = -180; long <= 180; long += 15) {
        const { timezone } = places(lat, long);
        expect(() => new Intl.DateTimeFormat("en", { timeZone: timezone ?? "" })).not.toThrow();
      }
    }
  });

  it("B15 is nowhere when half of it is missing", () => {
    expect([places(1, null), places(null, 1)]).toEqual(Array(2).fill({ timezone: null, country: null }));
  });
});

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
