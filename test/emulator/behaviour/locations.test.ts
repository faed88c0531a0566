import { describe, expect, it } from "vitest";
import { COMPLETE, vendor, venueWorld } from "./venue.ts";

const EMPTY_PLACE = { timezone: null, country: null, region: null, city: null, zip: null, address: null };

describe("creating a location", () => {
  it("answers with the whole location, a draft when fields are missing", async () => {
    const { post } = await vendor();

    const { status, headers, body } = await post("/locations", {
      location_id: "loc_new",
      title: "Corner shop",
      email: "shop@corner.example",
    });

    expect(status).toBe(201);
    expect(headers).toMatchObject({ "content-type": "application/json", location: "/vendor/org_a/locations/loc_new" });
    expect(body).toEqual({
      location_id: "loc_new",
      title: "Corner shop",
      venue_type_id: null,
      lat: null,
      long: null,
      opening_168: null,
      visitors_7: null,
      status: "DRAFT",
      available_for_ads: false,
      archived: false,
      email: "shop@corner.example",
      phone: null,
      ...EMPTY_PLACE,
    });
  });

  it("is in review at once when nothing is missing", async () => {
    const { post } = await vendor();

    const { body } = await post("/locations", { title: "Grand", ...COMPLETE });

    expect(body).toMatchObject({ ...COMPLETE, status: "REVIEW", available_for_ads: false, timezone: "Europe/Berlin" });
  });

  it("B1 refuses an id that is taken with 409 and leaves what is stored as it is", async () => {
    const { get, post } = await vendor();
    const before = await get("/locations/loc_approved");

    const { status, body } = await post("/locations", { location_id: "loc_approved", title: "Another" });

    expect([status, body.code]).toEqual([409, "already_exists"]);
    expect((await get("/locations/loc_approved")).body).toEqual(before.body);
  });

  it.each(["", "   ", "\t\n", undefined, null, 7])("B2 refuses the title %j", async (title) => {
    const { get, post } = await vendor();

    const created = await post("/locations", { location_id: "loc_new", title });

    expect([created.status, created.body.errors[0].field]).toEqual([400, "title"]);
    expect((await get("/locations/loc_new")).status).toBe(404);
  });

  it("B2 refuses a blank title in an update", async () => {
    const { post } = await vendor();

    expect((await post("/locations/loc_draft", { title: " " })).status).toBe(400);
  });

  it.each(["status", "available_for_ads"])("B7 ignores %s on create, with a warning", async (field) => {
    const { post, warnings } = await vendor();
    const value = field === "status" ? "APPROVED" : true;

    const { status, body } = await post("/locations", { title: "Grand", ...COMPLETE, [field]: value });

    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "REVIEW", available_for_ads: false });
    expect(warnings()).toEqual([`ignored field ${field}`]);
  });
});

describe("the review of a location", () => {
  it("B3 counts what is stored and what is sent together", async () => {
    const { post } = await vendor();
    const { visitors_7, ...rest } = COMPLETE;

    const four = await post("/locations/loc_draft", rest);
    const five = await post("/locations/loc_draft", { visitors_7 });

    expect([four.body.status, five.body.status]).toEqual(["DRAFT", "REVIEW"]);
  });

  it("B4 refuses status=REVIEW while fields are missing, and names them", async () => {
    const { get, post } = await vendor();

    const { status, body } = await post("/locations/loc_draft", { status: "REVIEW", lat: 1, title: "New" });

    expect([status, body.code]).toEqual([422, "incomplete"]);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "venue_type_id",
      "long",
      "opening_168",
      "visitors_7",
    ]);
    expect((await get("/locations/loc_draft")).body).toMatchObject({ title: "Library", lat: null, status: "DRAFT" });
  });

  it("B4 allows it behind the switch reviewWithoutFields", async () => {
    const { post } = await vendor({ world: venueWorld({ behaviour: { reviewWithoutFields: "allow" } }) });

    const { status, body } = await post("/locations/loc_draft", { status: "REVIEW" });

    expect([status, body.status, body.lat]).toEqual([200, "REVIEW", null]);
  });

  it("B5 takes status=REVIEW of a location that came into review without all fields as no change", async () => {
    const { emulator, get, post } = await vendor();
    await post("/locations", { location_id: "loc_bare", title: "Bare", venue_type_id: "807" });
    const moved = await post("/screens/screen_a", { location_id: "loc_bare" });
    const before = await get("/locations/loc_bare");

    const again = await post("/locations/loc_bare", { status: "REVIEW" });

    expect([moved.status, before.body.status]).toEqual([200, "REVIEW"]);
    expect([again.status, again.body]).toEqual([200, before.body]);
    await emulator.close();
  });

  it("B5 takes status=REVIEW while in review as no change, and refuses it when approved", async () => {
    const { get, post } = await vendor();
    const before = await get("/locations/loc_review");

    const again = await post("/locations/loc_review", { status: "REVIEW" });
    const approved = await post("/locations/loc_approved", { status: "REVIEW" });

    expect([again.status, again.body]).toEqual([200, before.body]);
    expect([approved.status, approved.body.code]).toEqual([400, "status_not_settable"]);
    expect((await get("/locations/loc_approved")).body.status).toBe("APPROVED");
  });

  it.each([
    ["loc_draft", "DRAFT"],
    ["loc_draft", "APPROVED"],
    ["loc_review", "DRAFT"],
    ["loc_review", "APPROVED"],
    ["loc_approved", "DRAFT"],
    ["loc_approved", "APPROVED"],
    ["loc_draft", "review"],
    ["loc_draft", "CLOSED"],
    ["loc_draft", null],
  ])("B6 refuses to set %s to %j", async (id, status) => {
    const { get, post } = await vendor();
    const before = await get(`/locations/${id}`);

    const refused = await post(`/locations/${id}`, { status, title: "Renamed" });

    expect([refused.status, refused.body.errors[0].field]).toEqual([400, "status"]);
    expect((await get(`/locations/${id}`)).body).toEqual(before.body);
  });

  it("B8 stays APPROVED when venue type, lat and long are sent as they are", async () => {
    const { post } = await vendor();
    const { venue_type_id, lat, long } = COMPLETE;

    const { status, body } = await post("/locations/loc_approved", {
      venue_type_id,
      lat,
      long,
      visitors_7: [0, 0, 0, 0, 0, 0, 0],
    });

    expect([status, body.status]).toEqual([200, "APPROVED"]);
  });

  it.each([{ venue_type_id: "101" }, { lat: 53.55 }, { long: 10 }])("goes back to REVIEW for %j", async (change) => {
    const { post } = await vendor();

    expect((await post("/locations/loc_approved", change)).body).toMatchObject({ ...change, status: "REVIEW" });
  });

  it("B19 ends with the operator's approval, or back in DRAFT, and only when in review", async () => {
    const { control, get } = await vendor();

    const approved = await control("POST", "/locations/loc_review/approve");
    const twice = await control("POST", "/locations/loc_review/approve");
    const draft = await control("POST", "/locations/loc_draft/return");

    expect([approved.status, approved.body.status]).toEqual([200, "APPROVED"]);
    expect([twice.status, draft.status]).toEqual([409, 409]);
    expect((await get("/locations/loc_review")).body).toMatchObject({ status: "APPROVED", available_for_ads: true });
  });

  it("B19 can be returned to DRAFT, from where the next update sends it to review again", async () => {
    const { control, get, post } = await vendor();

    const returned = await control("POST", "/locations/loc_review/return");
    const nothing = await post("/locations/loc_review", {});
    const again = await post("/locations/loc_review", { title: "Museum of Tides" });

    expect([returned.status, returned.body.status]).toEqual([200, "DRAFT"]);
    expect([nothing.body.status, again.body.status]).toEqual(["DRAFT", "REVIEW"]);
    expect((await get("/locations/loc_review")).body.title).toBe("Museum of Tides");
  });

  it("B19 can come by itself, a while after the location came into review", async () => {
    const { emulator, get, post } = await vendor({ world: venueWorld({ autoApprove: { locationsMs: 60_000 } }) });
    const status = async (id: string) => (await get(`/locations/${id}`)).body.status;
    emulator.clock.advance(30_000);
    await post("/locations/loc_draft", COMPLETE);

    emulator.clock.advance(29_999);
    const before = await status("loc_review");
    emulator.clock.advance(1);
    const after = [await status("loc_review"), await status("loc_draft")];
    const events = emulator.calls().flatMap((call) => call.events);
    emulator.clock.advance(30_000);

    expect([before, after, await status("loc_draft")]).toEqual(["REVIEW", ["APPROVED", "REVIEW"], "APPROVED"]);
    expect(events).toEqual(["location loc_review approved after its time in review"]);
  });
});

describe("the time in review", () => {
  it("B19 goes on while the location is changed, and begins anew when it comes back", async () => {
    const { control, emulator, get, post } = await vendor({
      world: venueWorld({ autoApprove: { locationsMs: 60_000 } }),
    });
    const status = async () => (await get("/locations/loc_review")).body.status;
    emulator.clock.advance(59_000);
    await post("/locations/loc_review", { title: "Renamed", lat: 1 });
    emulator.clock.advance(1_000);
    const approved = await status();
    await post("/locations/loc_review", { lat: 2 });
    emulator.clock.advance(59_999);
    const again = await status();
    await control("POST", "/locations/loc_review/return");
    emulator.clock.advance(60_000);

    expect([approved, again, await status()]).toEqual(["APPROVED", "REVIEW", "DRAFT"]);
  });
});

describe("a location's availability for ads", () => {
  it("B9 is false until the approval, which sets it true by default", async () => {
    const { control, get, post } = await vendor();
    await post("/locations", { location_id: "loc_one", title: "One", ...COMPLETE });
    await post("/locations", { location_id: "loc_two", title: "Two", ...COMPLETE });
    const available = async (id: string) => (await get(`/locations/${id}`)).body.available_for_ads;
    const before = [await available("loc_one"), await available("loc_two")];

    await control("POST", "/locations/loc_one/approve");
    await control("POST", "/locations/loc_two/approve", { available_for_ads: false });

    expect(before).toEqual([false, false]);
    expect([await available("loc_one"), await available("loc_two")]).toEqual([true, false]);
  });

  it.each([
    ["loc_draft", "DRAFT"],
    ["loc_review", "REVIEW"],
  ])("B10 refuses the whole update when available_for_ads is sent to %s, in %s", async (id) => {
    const { get, post } = await vendor();
    const before = await get(`/locations/${id}`);

    const { status, body } = await post(`/locations/${id}`, { title: "Renamed", lat: 1, available_for_ads: false });

    expect([status, body.code, body.errors[0].field]).toEqual([400, "not_approved", "available_for_ads"]);
    expect((await get(`/locations/${id}`)).body).toEqual(before.body);
  });

  it("can be set once the location is approved", async () => {
    const { post } = await vendor();

    const { status, body } = await post("/locations/loc_approved", { available_for_ads: false });

    expect([status, body.status, body.available_for_ads]).toEqual([200, "APPROVED", false]);
  });

  it("B11 is judged by the status that would result", async () => {
    const { get, post } = await vendor();

    const { status } = await post("/locations/loc_approved", { available_for_ads: false, lat: 1 });

    expect(status).toBe(400);
    expect((await get("/locations/loc_approved")).body).toMatchObject({ lat: COMPLETE.lat, available_for_ads: true });
  });

  it("B12 is kept when the location falls back to REVIEW, and the status alone stops delivery", async () => {
    const { control, post, spot } = await vendor();
    const before = await spot();

    const fallen = await post("/locations/loc_approved", { lat: 53.55 });
    const during = await spot();
    await control("POST", "/locations/loc_approved/approve");

    expect(before.ad).not.toBeNull();
    expect(fallen.body).toMatchObject({ status: "REVIEW", available_for_ads: true });
    expect(during).toMatchObject({ news: null, ad: null });
    expect((await spot()).ad).not.toBeNull();
  });
});

describe("a location", () => {
  it("B13 may change its venue type under its screens, which are then flagged and get no ads", async () => {
    const { control, post, spot } = await vendor();

    const changed = await post("/locations/loc_approved", { venue_type_id: "101" });
    await control("POST", "/locations/loc_approved/approve");
    const { body: screens } = await control("GET", "/screens?org_token=org_a");

    expect(changed.status).toBe(200);
    expect(screens).toMatchObject([{ screen_id: "screen_a", flags: ["venue_type_mismatch"] }]);
    expect(await spot()).toMatchObject({ billable: false, ad: null, news: { id: "news-weather" } });
    const fitted = await post("/screens/screen_a", { venue_type_id: "10101" });
    expect(fitted.status).toBe(200);
    expect((await spot()).ad).not.toBeNull();
  });

  it("B14 can be read and updated when it is archived, and its screens get empty spots", async () => {
    const { get, post, spot } = await vendor();

    const archived = await post("/locations/loc_approved", { archived: true });
    const renamed = await post("/locations/loc_approved", { title: "Old hotel" });

    expect([archived.status, renamed.status]).toEqual([200, 200]);
    expect((await get("/locations/loc_approved")).body).toMatchObject({ archived: true, title: "Old hotel" });
    expect(await spot()).toMatchObject({ news: null, ad: null });
  });

  it("B15 has a zone and a country from its position, which nobody can write", async () => {
    const { post, warnings } = await vendor();
    const written = { timezone: "Asia/Tokyo", country: "JPN", region: "R", city: "C", zip: "Z", address: "A" };

    const here = await post("/locations", { title: "Grand", lat: 48.8584, long: 2.2945, ...written });
    const ignored = warnings();
    const there = await post(`/locations/${here.body.location_id}`, { lat: -33.8568, long: 151.2153 });

    expect(here.body).toMatchObject({ ...EMPTY_PLACE, timezone: "Europe/Paris", country: "FRA" });
    expect(ignored).toEqual(Object.keys(written).map((field) => `ignored field ${field}`));
    expect(there.body).toMatchObject({ ...EMPTY_PLACE, timezone: "Australia/Sydney", country: "AUS" });
  });

  it("B15 is nowhere with half a position, and in no country at sea", async () => {
    const { post } = await vendor();

    const half = await post("/locations", { title: "Half", lat: 48.8584 });
    const sea = await post("/locations", { title: "Ship", lat: 0, long: 0 });

    expect([half.body.timezone, half.body.country]).toEqual([null, null]);
    expect([sea.body.timezone, sea.body.country]).toEqual(["Etc/GMT", null]);
  });

  it("B15 keeps what its world says about the place until it is elsewhere", async () => {
    const [first, ...others] = venueWorld().organizations;
    if (first === undefined) throw new Error("a world without an organization");
    const known = { timezone: "Europe/Vienna", city: "Hamburg", zip: "20457" };
    const locations = [{ location_id: "loc_1", title: "Here", lat: COMPLETE.lat, long: COMPLETE.long, ...known }];
    const organizations = [{ ...first, locations, screens: [], campaigns: [] }, ...others];
    const { get, post } = await vendor({ world: venueWorld({ organizations }) });

    const renamed = await post("/locations/loc_1", { title: "Still here", lat: COMPLETE.lat });
    const moved = await post("/locations/loc_1", { lat: 48.8584, long: 2.2945 });

    expect(renamed.body).toMatchObject({ ...known, country: "DEU" });
    expect(moved.body).toMatchObject({ ...EMPTY_PLACE, timezone: "Europe/Paris", country: "FRA" });
    expect((await get("/locations/loc_1")).body).toEqual(moved.body);
  });

  it("B16 keeps its hours in the zone that its position gives it", async () => {
    const opensAtNine = Array.from({ length: 168 }, (_, hour) => hour % 24 >= 9);
    const { emulator, post, spot } = await vendor();
    await post("/locations/loc_approved", { opening_168: opensAtNine });

    const nineInHamburg = await spot();
    emulator.clock.set({ mode: "frozen", now: emulator.clock.now() - 1 });

    expect(nineInHamburg.ad).not.toBeNull();
    expect((await spot()).ad).toBeNull();
  });

  it.each([
    ["lat", "53.5"],
    ["lat", 90.1],
    ["lat", -90.1],
    ["lat", null],
    ["lat", true],
    ["long", "9"],
    ["long", 180.1],
    ["long", -180.1],
    ["archived", 1],
    ["archived", "false"],
    ["opening_168", Array(168).fill(1)],
    ["opening_168", Array(167).fill(true)],
    ["opening_168", Array(169).fill(true)],
    ["opening_168", "always"],
    ["visitors_7", [1, 2, 3, 4, 5, 6, -7]],
    ["visitors_7", [1, 2, 3, 4, 5, 6, 7.5]],
    ["visitors_7", ["1", 2, 3, 4, 5, 6, 7]],
    ["visitors_7", [1, 2, 3, 4, 5, 6]],
    ["visitors_7", [1, 2, 3, 4, 5, 6, 7, 8]],
    ["venue_type_id", 807],
    ["email", 7],
    ["phone", {}],
    ["title", null],
    ["available_for_ads", "yes"],
  ])("B17 refuses %s %j", async (field, value) => {
    const { get, post } = await vendor();
    const before = await get("/locations/loc_approved");

    const { status, body } = await post("/locations/loc_approved", { email: "new@x.example", [field]: value });

    expect([status, body.code]).toEqual([400, "invalid"]);
    expect(body.errors[0].field).toMatch(new RegExp(`^${field}`));
    expect((await get("/locations/loc_approved")).body).toEqual(before.body);
  });

  it.each([
    { lat: 90, long: 180 },
    { lat: -90, long: -180 },
    { lat: 0, long: 0 },
  ])("takes a position at the very edge, %j", async (position) => {
    const { post } = await vendor();

    expect(await post("/locations", { title: "Edge", ...position })).toMatchObject({ status: 201, body: position });
  });

  it("B18 may have lat without long while it is a draft", async () => {
    const { post } = await vendor();
    const { long: _, ...withoutLong } = COMPLETE;

    const { status, body } = await post("/locations/loc_draft", withoutLong);

    expect([status, body.status, body.lat, body.long]).toEqual([200, "DRAFT", COMPLETE.lat, null]);
  });

  it.each([
    ["1", "must be a venue type of level 2"],
    ["80701", "must be a venue type of level 2"],
    ["4711", "there is no venue type 4711"],
  ])("A7 refuses the venue type %s with 422: a location's is on level 2", async (venue_type_id, message) => {
    const { post } = await vendor();

    const created = await post("/locations", { title: "Grand", venue_type_id });
    const updated = await post("/locations/loc_draft", { venue_type_id });

    expect([created.status, updated.status]).toEqual([422, 422]);
    expect(created.body).toMatchObject({ code: "not_level_2", errors: [{ field: "venue_type_id", message }] });
  });

  it("is not changed by what happens to another organization's of the same name", async () => {
    const { get, post } = await vendor({}, "org_b");

    const created = await post("/locations", { location_id: "loc_approved", title: "Mine" });

    expect(created.status).toBe(201);
    expect((await get("/locations/loc_approved")).body.title).toBe("Mine");
  });
});
