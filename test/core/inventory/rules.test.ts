import { describe, expect, it } from "vitest";
import {
  afterMove,
  approveApproval,
  approveLocation,
  createLocation,
  type DecidedApproval,
  fitsLocation,
  fitsScreen,
  isMismatched,
  lacksMessage,
  missingForReview,
  placeScreen,
  REQUIRED_FOR_REVIEW,
  type ReviewedLocation,
  rejectApproval,
  returnLocation,
  updateLocation,
  type VenueType,
  venueTypeName,
} from "../../../src/core/inventory/rules.ts";

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
const RULES = { tree, allowBareReview: false };

const DRAFT: ReviewedLocation = {
  venue_type_id: null,
  lat: null,
  long: null,
  opening_168: null,
  visitors_7: null,
  status: "DRAFT",
  available_for_ads: false,
};
const FULL: ReviewedLocation = {
  ...DRAFT,
  venue_type_id: "807",
  lat: 53.5,
  long: 10,
  opening_168: Array<boolean>(168).fill(true),
  visitors_7: [1, 2, 3, 4, 5, 6, 7],
};
const WITHOUT_LAT: ReviewedLocation = { ...FULL, lat: null };
const APPROVED: ReviewedLocation = { ...FULL, status: "APPROVED", available_for_ads: true };

describe("a location's review", () => {
  it("needs exactly the contract's five fields", () => {
    expect(missingForReview(DRAFT)).toEqual(["venue_type_id", "lat", "long", "opening_168", "visitors_7"]);
    expect(missingForReview(FULL)).toEqual([]);
  });

  it.each(REQUIRED_FOR_REVIEW)("does not begin without %s", (field) => {
    const created = createLocation({ ...FULL, [field]: null }, RULES);

    expect(created).toMatchObject({ kind: "accepted", value: { status: "DRAFT" } });
  });

  it("begins at once when nothing is missing, whatever status was asked for", () => {
    expect(createLocation({ ...FULL, status: "APPROVED" }, RULES)).toMatchObject({ value: { status: "REVIEW" } });
  });

  it("takes a latitude and a longitude of 0 for given", () => {
    expect(missingForReview({ ...FULL, lat: 0, long: 0 })).toEqual([]);
  });

  it("B3 begins with the update that brings the last field", () => {
    expect(updateLocation(WITHOUT_LAT, { lat: 1 }, RULES)).toMatchObject({ value: { status: "REVIEW" } });
  });

  it("B4 is refused by name of the fields that are missing, or allowed where the rules say so", () => {
    const refused = updateLocation(WITHOUT_LAT, { status: "REVIEW" }, RULES);
    const allowed = updateLocation(DRAFT, { status: "REVIEW" }, { ...RULES, allowBareReview: true });

    expect(refused).toMatchObject({ kind: "unprocessable", code: "incomplete", complaints: [{ field: "lat" }] });
    expect(allowed).toMatchObject({ kind: "accepted", value: { status: "REVIEW" } });
  });

  it.each(["DRAFT", "APPROVED"] as const)("B6 is never set to %s by a client", (status) => {
    for (const stored of [DRAFT, FULL, APPROVED]) {
      expect(updateLocation(stored, { status }, RULES)).toMatchObject({ kind: "conflict" });
    }
  });

  it("is decided by the operator, while it lasts", () => {
    const inReview: ReviewedLocation = { ...FULL, status: "REVIEW" };

    expect(approveLocation(inReview)).toMatchObject({ value: { status: "APPROVED", available_for_ads: true } });
    expect(approveLocation(inReview, false)).toMatchObject({ value: { available_for_ads: false } });
    expect(returnLocation(inReview)).toMatchObject({ value: { status: "DRAFT" } });
    for (const other of [DRAFT, APPROVED]) {
      expect([approveLocation(other).kind, returnLocation(other).kind]).toEqual(["conflict", "conflict"]);
    }
  });
});

describe("an approved location", () => {
  it.each([{ venue_type_id: "801" }, { lat: 53.6 }, { long: 10.1 }])("goes back to review for %j", (change) => {
    expect(updateLocation(APPROVED, change, RULES)).toMatchObject({ value: { ...change, status: "REVIEW" } });
  });

  it("B8 stays approved for the same values, and for anything else", () => {
    const same = updateLocation(APPROVED, { venue_type_id: "807", lat: 53.5, long: 10, visitors_7: [0] }, RULES);

    expect(same).toMatchObject({ value: { status: "APPROVED", visitors_7: [0] } });
  });

  it("B11 cannot have its ads set by what sends it back", () => {
    const refused = updateLocation(APPROVED, { lat: 1, available_for_ads: false }, RULES);

    expect(refused).toMatchObject({ kind: "conflict", complaints: [{ field: "available_for_ads" }] });
  });

  it("is reviewed after a screen has moved, as any other is", () => {
    for (const stored of [DRAFT, FULL, APPROVED]) expect(afterMove(stored).status).toBe("REVIEW");
  });
});

describe("any update", () => {
  it("A13 of nothing changes nothing, not even what it is made of", () => {
    const result = updateLocation(FULL, { lat: undefined }, RULES);

    expect(result.kind === "accepted" && result.value).toBe(FULL);
  });

  it("leaves what was stored as it is", () => {
    const before = structuredClone(APPROVED);
    updateLocation(APPROVED, { lat: 1, venue_type_id: "8" }, RULES);
    updateLocation(APPROVED, { lat: 1 }, RULES);

    expect(APPROVED).toEqual(before);
  });

  it.each(["8", "80701", "4711"])("needs a venue type of level 2, which %s is not", (venue_type_id) => {
    expect(updateLocation(APPROVED, { venue_type_id }, RULES)).toMatchObject({
      kind: "unprocessable",
      code: "not_level_2",
    });
    expect(createLocation({ ...FULL, venue_type_id }, RULES).kind).toBe("unprocessable");
  });
});

const PLACING = { tree, onlyOnApproved: false };
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
      placeScreen(screen("80701"), HOTEL, PLACING),
      placeScreen(screen("801"), HOTEL, PLACING),
      placeScreen(screen("807"), null, PLACING),
      placeScreen(screen("807"), { ...HOTEL, venue_type_id: null }, PLACING),
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

const PENDING: DecidedApproval = { status: "pending", rejection_reasons: null, custom_message: null };

describe("rejecting a CAR", () => {
  it("keeps each reason once, and the message", () => {
    const rejected = rejectApproval(PENDING, { reasons: ["FILTER", "CUSTOM", "FILTER"], message: "Too loud" });

    expect(rejected).toEqual({
      kind: "accepted",
      value: { status: "rejected", rejection_reasons: ["FILTER", "CUSTOM"], custom_message: "Too loud" },
    });
  });

  it.each(["approved", "rejected"] as const)(
    "is impossible once it is %s, with or without a message (E1)",
    (status) => {
      const decided: DecidedApproval = { ...PENDING, status };

      expect(rejectApproval(decided, { reasons: ["CUSTOM"], message: null })).toMatchObject({ kind: "conflict" });
      expect(approveApproval(decided)).toMatchObject({ kind: "conflict" });
    },
  );

  it.each([null, "", " \n\t"])("needs a message with CUSTOM, which %j is not (E3)", (message) => {
    expect(lacksMessage({ reasons: ["CUSTOM"], message })).toBe(true);
    expect(rejectApproval(PENDING, { reasons: ["CUSTOM"], message })).toMatchObject({ kind: "unprocessable" });
    expect(lacksMessage({ reasons: ["FILTER"], message })).toBe(false);
  });

  it("leaves what was stored as it is", () => {
    rejectApproval(PENDING, { reasons: ["FILTER"], message: null });
    approveApproval(PENDING);

    expect(PENDING.status).toBe("pending");
  });
});
