import { describe, expect, it } from "vitest";
import type { ReviewedLocation } from "../../../src/core/inventory/location.ts";
import { isMismatched, placeScreen } from "../../../src/core/inventory/screen.ts";
import { fitsLocation, fitsScreen, type VenueType, venueTypeName } from "../../../src/core/inventory/venue-type.ts";

const type = (id: string, label: string, parent_id: string | null, level: 1 | 2 | 3): [string, VenueType] => [
  id,
  { id, label, parent_id, level, selectable: level > 1, description: null },
];
const tree = new Map([
  type("8", "Leisure", null, 1),
  type("807", "Hotels", "8", 2),
  type("801", "Museums", "8", 2),
  type("80701", "Lobby", "807", 3),
]);
const RULES = { tree, onlyOnApproved: false };
const HOTEL: ReviewedLocation = {
  venue_type_id: "807",
  lat: 1,
  long: 1,
  opening_168: null,
  visitors_7: null,
  status: "REVIEW",
  available_for_ads: false,
};
const screen = (venue_type_id: string) => ({ venue_type_id, location_id: "l" });

describe("a venue type", () => {
  it("fits a location on level 2 only", () => {
    expect(["8", "807", "80701", "4711"].map((id) => fitsLocation(tree, id))).toEqual([false, true, false, false]);
  });

  it("fits a screen where it is the location's or a child of it", () => {
    expect(["8", "807", "801", "80701", "4711"].map((id) => fitsScreen(tree, id, "807"))).toEqual([
      ...[false, true, false, true, false],
    ]);
  });

  it("does not fit only because nobody knows it", () => {
    expect(fitsScreen(tree, "4711", "4711")).toBe(false);
  });

  it("D2 is named with its parent on level 3", () => {
    expect(["80701", "807", "8", "4711"].map((id) => venueTypeName(tree, id))).toEqual([
      ...["Lobby (Hotels)", "Hotels", "Leisure", "4711"],
    ]);
  });
});

describe("placing a screen", () => {
  it("is accepted upon by its location, which must be there and have a type", () => {
    const results = [
      placeScreen(screen("80701"), HOTEL, RULES),
      placeScreen(screen("801"), HOTEL, RULES),
      placeScreen(screen("807"), null, RULES),
      placeScreen(screen("807"), { ...HOTEL, venue_type_id: null }, RULES),
    ];

    expect(results.map((result) => (result.kind === "accepted" ? "accepted" : result.code))).toEqual([
      "accepted",
      "outside_location_type",
      "unknown_location",
      "location_without_type",
    ]);
  });

  it("C1 waits for the approval only where the rules say so", () => {
    const strict = { tree, onlyOnApproved: true };

    expect(placeScreen(screen("807"), HOTEL, strict)).toMatchObject({
      kind: "unprocessable",
      code: "location_not_approved",
    });
    expect(placeScreen(screen("807"), { ...HOTEL, status: "APPROVED" }, strict).kind).toBe("accepted");
  });

  it("B13 is mismatched once its location has changed its type, but not while that has none", () => {
    expect([
      isMismatched(screen("80701"), HOTEL, tree),
      isMismatched(screen("80701"), { ...HOTEL, venue_type_id: "801" }, tree),
      isMismatched(screen("80701"), { ...HOTEL, venue_type_id: null }, tree),
    ]).toEqual([false, true, false]);
  });
});
