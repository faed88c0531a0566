import { describe, expect, it } from "vitest";
import { columnNamed, locationColumns, screenColumns } from "../../../src/cli/vendor/columns.ts";

/** What a cell of a column comes to. */
function cell(columns: typeof locationColumns, name: string, value: unknown) {
  const reading = columnNamed(columns, name)?.read(value);
  return reading?.kind === "fields" ? reading.fields : (reading?.message ?? "no such column");
}

const ALWAYS = Array<boolean>(168).fill(true);

describe("a column", () => {
  it.each([
    ["location_id", "a", { location_id: "a" }],
    ["ID", 7, { location_id: "7" }],
    ["Venue Type", "401", { venue_type_id: "401" }],
    ["venue_type_id", 401, { venue_type_id: "401" }],
    ["latitude", "-1.5", { lat: -1.5 }],
    ["visitors_7", "[1,2,3]", { visitors_7: [1, 2, 3] }],
    ["visitors", "1; 2 3,4", { visitors_7: [1, 2, 3, 4] }],
    ["opening_168", JSON.stringify(ALWAYS), { opening_168: ALWAYS }],
    ["opening_168", "1".repeat(168), { opening_168: ALWAYS }],
    ["Opening hours", "24/7", { opening_168: ALWAYS }],
    ["available_for_ads", "TRUE", { available_for_ads: true }],
    ["archived", "0", { archived: false }],
    ["email", "", { email: null }],
    ["lat", "", 'must be a number, and is ""'],
    ["lat", true, "must be a number"],
    ["visitors", "[1", "must be seven numbers with commas between, Monday first"],
    ["visitors", "1.000 2 3 4 5 6 7", "must be seven numbers with commas between, Monday first"],
    ["opening_168", [1], "must be a list of true and false"],
    ["open", 5, "must be opening hours"],
    ["title", null, "must be a text"],
    ["status", "DRAFT", "no such column"],
  ])("of locations named %s reads %j as %j", (name, value, read) => {
    expect(cell(locationColumns, name, value)).toEqual(read);
  });

  it.each([
    ["location", "a", { location_id: "a" }],
    ["size", "1920X1080", { width: 1920, height: 1080 }],
    ["resolution", "1 × 2", { width: 1, height: 2 }],
    ["loop_duration", "60", { loop_duration: 60 }],
    ["imps-weekly", null, { imps_weekly: null }],
    ["size", "1920", "must be a size such as 1920x1080"],
  ])("of screens named %s reads %j as %j", (name, value, read) => {
    expect(cell(screenColumns, name, value)).toEqual(read);
  });
});
