import { describe, expect, it } from "vitest";
import {
  locationComplaints,
  locationUpdateComplaints,
  rejectionComplaints,
  screenComplaints,
} from "../../../src/core/inventory/check.ts";
import type { ReviewedLocation, VenueType } from "../../../src/core/inventory/rules.ts";

const type = (id: string, label: string, parent_id: string | null, level: 1 | 2 | 3): [string, VenueType] => [
  id,
  { id, label, parent_id, level, selectable: level > 1, description: null },
];
const tree = new Map([
  type("4", "Health", null, 1),
  type("401", "Gyms", "4", 2),
  type("40101", "Lobby", "401", 3),
  type("402", "Salons", "4", 2),
]);
const APPROVED: ReviewedLocation = {
  venue_type_id: "401",
  lat: 1,
  long: 2,
  opening_168: Array<boolean>(168).fill(true),
  visitors_7: [1, 2, 3, 4, 5, 6, 7],
  status: "APPROVED",
  available_for_ads: true,
};
const said = (complaints: readonly { field: string; message: string }[]) =>
  complaints.map(({ field, message }) => `${field}: ${message}`);

describe("a location that is to be sent", () => {
  it("has every problem named at once", () => {
    const sent = { title: " ", venue_type_id: "40101", lat: 91, long: Number.NaN, opening_168: [], visitors_7: [1] };

    expect(said(locationComplaints(sent, tree))).toEqual([
      "title: must not be blank",
      "venue_type_id: 40101 is Lobby (Gyms), on level 3; a location takes one of level 2, such as 401 Gyms",
      "lat: must be -90 to 90, and is 91",
      "long: must be -180 to 180, and is NaN",
      "opening_168: must be 168 hours, Monday 00:00 first; there are 0",
      "visitors_7: must be 7 numbers, Monday first; there is 1",
    ]);
  });

  it.each([
    ["4", "4 is Health, on level 1; a location takes one of level 2"],
    ["9", "there is no venue type 9"],
  ])("is not of type %s", (id, message) => {
    expect(said(locationComplaints({ venue_type_id: id }, tree))).toEqual([`venue_type_id: ${message}`]);
  });

  it.each([
    [[1.5, 2, 3, 4, 5, 6, 7], "must be whole numbers from 0"],
    [[-1, 2, 3, 4, 5, 6, 7], "must be whole numbers from 0"],
    [[1, 2, 3, 4, 5, 6, 7, 8], "must be 7 numbers, Monday first; there are 8"],
  ])("has not the visitors %j", (visitors_7, message) => {
    expect(said(locationComplaints({ visitors_7 }, tree))).toEqual([`visitors_7: ${message}`]);
  });

  it("is fine at the edges, and where the venue types are not known", () => {
    expect(locationComplaints({ title: "A", venue_type_id: "401", lat: -90, long: 180 }, tree)).toEqual([]);
    expect(locationComplaints({ venue_type_id: "9" }, null)).toEqual([]);
  });
});

describe("an update of a location", () => {
  const DRAFT: ReviewedLocation = { ...APPROVED, status: "DRAFT", lat: null };

  it("is held against the rules of review, all of them at once", () => {
    const change = { status: "REVIEW", available_for_ads: true, lat: 100, venue_type_id: "4" } as const;
    const bare = { ...DRAFT, visitors_7: null };

    expect(said(locationUpdateComplaints(bare, change, tree))).toEqual([
      "venue_type_id: 4 is Health, on level 1; a location takes one of level 2",
      "lat: must be -90 to 90, and is 100",
      "available_for_ads: cannot be set while the location is in REVIEW",
      "visitors_7: is required for review",
    ]);
  });

  it("cannot set it available beside what sends it back to review (B11)", () => {
    expect(said(locationUpdateComplaints(APPROVED, { lat: 5, available_for_ads: true }, tree))).toEqual([
      "available_for_ads: cannot be set while the location is in REVIEW",
    ]);
  });

  it.each([{ title: "B" }, { available_for_ads: false }, { lat: 5 }])("may be %j when it is approved", (change) => {
    expect(locationUpdateComplaints(APPROVED, change, tree)).toEqual([]);
  });
});

describe("a screen that is to be sent", () => {
  const placed = { venue_type_id: "402", location_id: "L" };

  it("has every problem named at once", () => {
    const sent = { screen_id: "", title: "", width: 0, height: 1.5, loop_duration: -1, amount: 0, imps_weekly: -1 };

    expect(said(screenComplaints(sent, placed, APPROVED, tree))).toEqual([
      "screen_id: must not be blank",
      "title: must not be blank",
      "venue_type_id: 402 is Salons; this screen needs 401 Gyms, its location's, or a child of that",
      "width: must be a whole number from 1, and is 0",
      "height: must be a whole number from 1, and is 1.5",
      "loop_duration: must be a whole number from 1, and is -1",
      "amount: must be a whole number from 1, and is 0",
      "imps_weekly: must be a whole number from 0, and is -1",
    ]);
  });

  it.each(["401", "40101"])("can be of type %s in a gym", (venue_type_id) => {
    expect(screenComplaints({}, { ...placed, venue_type_id }, APPROVED, tree)).toEqual([]);
  });

  it("needs a location that is there and has a type", () => {
    expect(said(screenComplaints({}, placed, null, null))).toEqual(["location_id: there is no location L"]);
    expect(said(screenComplaints({}, placed, { ...APPROVED, venue_type_id: null }, tree))).toEqual([
      "venue_type_id: the location has no venue type yet",
    ]);
  });

  it("is left to the service where the venue types are not known", () => {
    expect(screenComplaints({}, placed, APPROVED, null)).toEqual([]);
  });
});

describe("a rejection", () => {
  const pending = { status: "pending", rejection_reasons: null, custom_message: null } as const;

  it("has every problem named at once", () => {
    const rejected = { ...pending, status: "rejected" } as const;

    expect(said(rejectionComplaints(rejected, { reasons: ["CUSTOM"], message: " " }))).toEqual([
      "status: the creative is rejected already",
      "custom_message: is required with the reason CUSTOM",
    ]);
    expect(said(rejectionComplaints(null, { reasons: [], message: null }))).toEqual([
      "rejection_reasons: needs one reason or more",
    ]);
  });

  it("is fine with a reason, and with a message where one is needed", () => {
    expect(rejectionComplaints(pending, { reasons: ["FILTER"], message: null })).toEqual([]);
    expect(rejectionComplaints(pending, { reasons: ["CUSTOM"], message: "Too loud" })).toEqual([]);
  });
});
