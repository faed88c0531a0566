import { describe, expect, it } from "vitest";
import { hourOfWeek } from "../../src/core/local-time.ts";

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
