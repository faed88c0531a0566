import { describe, expect, it } from "vitest";
import {
  locationChangeSchema,
  locationCreationSchema,
  rejectionSchema,
  screenChangeSchema,
  screenCreationSchema,
  venueTypesSchema,
} from "../../src/wire/inventory.ts";

const SCREEN = {
  screen_id: "s",
  title: "S",
  venue_type_id: "807",
  location_id: "l",
  width: 1,
  height: 1,
  loop_duration: 1,
};

describe("what creates things", () => {
  it("needs a title for a location and nothing else", () => {
    expect(locationCreationSchema.parse({ title: "T" })).toEqual({ title: "T", archived: false });
    expect(locationCreationSchema.safeParse({}).success).toBe(false);
  });

  it("has the contract's defaults for a screen", () => {
    expect(screenCreationSchema.parse(SCREEN)).toEqual({ ...SCREEN, archived: false, available_for_ads: true });
  });

  it("A9 leaves out what it does not know", () => {
    expect(locationCreationSchema.parse({ title: "T", status: "APPROVED", colour: 1 })).not.toHaveProperty("status");
  });
});

describe("what changes things", () => {
  it("may be empty, and brings no defaults along", () => {
    expect([locationChangeSchema.parse({}), screenChangeSchema.parse({})]).toEqual([{}, {}]);
  });

  it("A12 takes null where something can be cleared", () => {
    expect(locationChangeSchema.parse({ email: null, phone: null })).toEqual({ email: null, phone: null });
    expect(screenChangeSchema.parse({ amount: null, imps_weekly: null })).toEqual({ amount: null, imps_weekly: null });
    expect(locationChangeSchema.safeParse({ title: null }).success).toBe(false);
    expect(locationChangeSchema.safeParse({ lat: null }).success).toBe(false);
  });

  it.each([
    { lat: "1" },
    { lat: 90.5 },
    { long: -181 },
    { opening_168: [] },
    { visitors_7: [1.5, 1, 1, 1, 1, 1, 1] },
    { archived: 0 },
  ])("B17 does not take %j", (change) => {
    expect(locationChangeSchema.safeParse(change).success).toBe(false);
  });
});

describe("what rejects a CAR", () => {
  it("E2 needs at least one known reason", () => {
    const reasons = [["FILTER"], ["ADVERTISER", "CUSTOM"], [], ["OTHER"], "FILTER", null];

    expect(reasons.map((rejection_reasons) => rejectionSchema.safeParse({ rejection_reasons }).success)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});

describe("a venue type", () => {
  it("is of one of three levels", () => {
    const type = { id: "1", label: "T", parent_id: null, selectable: false, description: null };

    expect([0, 1, 2, 3, 4, "1"].map((level) => venueTypesSchema.safeParse([{ ...type, level }]).success)).toEqual([
      ...[false, true, true, true, false, false],
    ]);
  });
});
