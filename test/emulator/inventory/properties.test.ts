import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsLocation, fitsScreen, missingForReview } from "../../../src/core/inventory/rules.ts";
import type { Approval, Organization } from "../../../src/emulator/inventory/inventory.ts";
import { decideLocation } from "../../../src/emulator/inventory/locations-and-screens.ts";
import { approveIn, submitApproval } from "../../../src/emulator/inventory/reviews.ts";
import type { Location } from "../../../src/wire/inventory.ts";
import { COMPLETE, SCREEN, venueWorld } from "../behaviour/venue.ts";
import { type Inside, inside } from "../inside.ts";

/** What vendor and operator can do, on few enough objects that their ways cross. */
type Step =
  | { readonly does: "create location" | "create screen"; readonly body: object }
  | { readonly does: "update location" | "update screen" | "reject"; readonly id: string; readonly body: object }
  | { readonly does: "approve" | "return" | "approve CAR"; readonly id: string }
  | { readonly does: "submit CAR" };

const locationId = fc.constantFrom("loc_approved", "loc_second", "loc_review", "loc_draft", "loc_1", "loc_2");
const screenId = fc.constantFrom("screen_a", "screen_1", "screen_2");
const carId = fc.constantFrom("car_pending", "car_approved", "car_rejected", "car_none");
const venueTypeId = fc.constantFrom("807", "80701", "801", "80102", "8", "4711");

const locationFields = {
  title: fc.constantFrom("New", "Newer", " "),
  venue_type_id: venueTypeId,
  lat: fc.constantFrom(COMPLETE.lat, 0, 48.85, 91),
  long: fc.constantFrom(COMPLETE.long, 0, 2.29),
  opening_168: fc.constantFrom(COMPLETE.opening_168, [true]),
  visitors_7: fc.constantFrom(COMPLETE.visitors_7, [1, 2, 3, 4, 5, 6, -7]),
  email: fc.constantFrom("a@b.example", null),
  archived: fc.boolean(),
};
const some = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] });
const locationChange = fc.oneof(
  some({ ...locationFields, status: fc.constantFrom("REVIEW", "APPROVED", "DRAFT"), available_for_ads: fc.boolean() }),
  fc.constantFrom<object>(
    COMPLETE,
    {},
    { status: "REVIEW" },
    { available_for_ads: true },
    { lat: COMPLETE.lat },
    { lat: 1 },
  ),
);
const placing = { venue_type_id: venueTypeId, location_id: fc.oneof(locationId, fc.constant("loc_b")) };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant("create location" as const),
    body: fc.oneof(
      some({ ...locationFields, location_id: locationId }),
      locationId.map((location_id) => ({ location_id, title: "New", ...COMPLETE })),
    ),
  }),
  fc.record({ does: fc.constant("update location" as const), id: locationId, body: locationChange }),
  fc.record({
    does: fc.constant("create screen" as const),
    body: fc.record({ screen_id: screenId, ...placing }).map((placed) => ({ ...SCREEN, ...placed })),
  }),
  fc.record({
    does: fc.constant("update screen" as const),
    id: screenId,
    body: some({ ...placing, width: fc.constantFrom(1, 0) }),
  }),
  fc.record({ does: fc.constantFrom("approve" as const, "return" as const), id: locationId }),
  fc.record({ does: fc.constant("approve CAR" as const), id: carId }),
  fc.record({
    does: fc.constant("reject" as const),
    id: carId,
    body: fc.record({
      rejection_reasons: fc.constantFrom(["FILTER"], ["CUSTOM"], ["FILTER", "CUSTOM", "FILTER"], [], ["NONE"]),
      custom_message: fc.constantFrom(null, " ", "Too loud"),
    }),
  }),
  fc.constant<Step>({ does: "submit CAR" }),
);

const behaviour = fc.record({
  reviewWithoutFields: fc.constantFrom("refuse" as const, "allow" as const),
  screenOnUnapproved: fc.constantFrom("allow" as const, "refuse" as const),
  both: fc.boolean(),
});

/** Takes a step; whether it was carried out. */
async function take({ call, network }: Inside, taken: Step): Promise<boolean> {
  const organization = own(network.state.inventory.organizations);
  const posted = async (path: string, body: object) => (await call("POST", `/vendor/org_a${path}`, body)).status < 300;
  switch (taken.does) {
    case "create location":
      return posted("/locations", taken.body);
    case "update location":
      return posted(`/locations/${taken.id}`, taken.body);
    case "create screen":
      return posted("/screens", taken.body);
    case "update screen":
      return posted(`/screens/${taken.id}`, taken.body);
    case "reject":
      return posted(`/cars/${taken.id}/reject`, taken.body);
    case "submit CAR":
      return submitApproval(network, organization, {}).kind === "accepted";
    case "approve CAR": {
      const approval = organization.approvals.get(taken.id);
      return approval !== undefined && approveIn(network, organization, approval).kind === "accepted";
    }
    case "approve":
    case "return": {
      const location = organization.locations.get(taken.id);
      if (location === undefined) return false;
      const decision =
        taken.does === "approve" ? { kind: "approve" as const, availableForAds: true } : { kind: "return" as const };
      return decideLocation(network, organization, location, decision).kind === "accepted";
    }
  }
}

function own(organizations: ReadonlyMap<string, Organization>): Organization {
  const organization = organizations.get("org_a");
  if (organization === undefined) throw new Error("org_a is gone");
  return organization;
}

/** Whether the contract's table of states, and its rule about ads, allow what a step made of a location. */
function checkLocation(before: Location | undefined, after: Location, taken: Step, allowBareReview: boolean): void {
  const complete = missingForReview(after).length === 0;
  if (before === undefined) {
    expect(taken.does).toBe("create location");
    expect(after).toMatchObject({ status: complete ? "REVIEW" : "DRAFT", available_for_ads: false });
    return;
  }
  const change = "body" in taken ? (taken.body as Partial<Location>) : {};
  const moved = after.lat !== before.lat || after.long !== before.long || after.venue_type_id !== before.venue_type_id;
  switch (`${before.status} to ${after.status}`) {
    case "DRAFT to DRAFT":
      expect(taken.does).toBe("update location");
      expect(Object.keys(change).length === 0 || !complete).toBe(true);
      break;
    case "DRAFT to REVIEW":
      if (taken.does === "update location")
        expect(complete || (allowBareReview && change.status === "REVIEW")).toBe(true);
      else expect(taken.does).toBe("update screen");
      break;
    case "REVIEW to REVIEW":
      expect(["update location", "update screen"]).toContain(taken.does);
      break;
    case "REVIEW to APPROVED":
      expect(taken.does).toBe("approve");
      break;
    case "REVIEW to DRAFT":
      expect(taken.does).toBe("return");
      break;
    case "APPROVED to REVIEW":
      expect(taken.does === "update screen" || moved).toBe(true);
      break;
    case "APPROVED to APPROVED":
      expect(moved).toBe(false);
      break;
    default:
      throw new Error(`no row of the table goes from ${before.status} to ${after.status}`);
  }
  if (after.available_for_ads !== before.available_for_ads) expect(after.status).toBe("APPROVED");
}

function checkApproval(before: Approval | undefined, after: Approval): void {
  if (before === undefined) expect(after.status).toBe("pending");
  else expect(before.status === "pending" && after.status !== "pending").toBe(true);
  expect(after.rejection_reasons !== null).toBe(after.status === "rejected");
  if (after.rejection_reasons?.includes("CUSTOM")) expect(after.custom_message?.trim()).toBeTruthy();
}

describe("whatever vendor and operator do", () => {
  it("keeps every location, screen and CAR in a state that the contract's tables allow, and changes nothing when refused", async () => {
    const property = fc.asyncProperty(
      behaviour,
      fc.array(step, { minLength: 1, maxLength: 25 }),
      async (switches, steps) => {
        const subject = inside(venueWorld({ behaviour: switches }));
        const { tree, state } = subject.network;
        const organization = own(state.inventory.organizations);
        for (const taken of steps) {
          const whole = subject.state();
          const before = structuredClone(organization);
          const done = await take(subject, taken);
          if (!done) expect(subject.state()).toBe(whole);

          for (const [id, location] of organization.locations) {
            if (JSON.stringify(before.locations.get(id)) === JSON.stringify(location)) continue;
            checkLocation(before.locations.get(id), location, taken, switches.reviewWithoutFields === "allow");
          }
          for (const { venue_type_id } of organization.locations.values()) {
            expect(venue_type_id === null || fitsLocation(tree, venue_type_id)).toBe(true);
          }
          for (const [id, screen] of organization.screens) {
            const location = organization.locations.get(screen.location_id);
            const old = before.screens.get(id);
            expect(location).toBeDefined();
            if (old?.location_id === screen.location_id && old.venue_type_id === screen.venue_type_id) continue;
            expect(fitsScreen(tree, screen.venue_type_id, location?.venue_type_id ?? "")).toBe(true);
            if (old !== undefined && old.location_id !== screen.location_id) expect(location?.status).toBe("REVIEW");
          }
          for (const [id, approval] of organization.approvals) {
            if (JSON.stringify(before.approvals.get(id)) !== JSON.stringify(approval))
              checkApproval(before.approvals.get(id), approval);
          }
          const inReview = [...organization.locations.values()].filter(({ status }) => status === "REVIEW");
          expect([...organization.reviewSince.keys()].toSorted()).toEqual(
            inReview.map((one) => one.location_id).toSorted(),
          );
        }
      },
    );

    await fc.assert(property, { numRuns: 200 });
  });

  it("answers with what is then read", async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 10 }),
      locationChange,
      locationId,
      async (steps, change, id) => {
        const subject = inside(venueWorld());
        for (const taken of steps) await take(subject, taken);

        const updated = await subject.call("POST", `/vendor/org_a/locations/${id}`, change);
        const read = await subject.call("GET", `/vendor/org_a/locations/${id}`);

        if (updated.status === 200) expect(read.body).toEqual(updated.body);
      },
    );

    await fc.assert(property, { numRuns: 50 });
  });
});
