import { describe, expect, it } from "vitest";
import { COMPLETE, SCREEN, vendor, venueWorld } from "./venue.ts";

describe("creating a screen", () => {
  it("answers with the whole screen", async () => {
    const { post } = await vendor();

    const { status, headers, body } = await post("/screens", SCREEN);

    expect([status, headers.location]).toEqual([201, "/vendor/org_a/screens/screen_new"]);
    expect(body).toEqual({
      screen_id: "screen_new",
      title: "Bar",
      venue_type_id: "80701",
      location_id: "loc_approved",
      width: 1920,
      height: 1080,
      loop_duration: 60,
      archived: false,
      available_for_ads: true,
      amount: null,
      imps_weekly: null,
    });
  });

  it.each(["loc_review", "loc_draft"])(
    "C1 takes it on %s too, whose screens get empty spots until it is APPROVED",
    async (location_id) => {
      const { control, emulator, post, spot } = await vendor();
      await post(`/locations/${location_id}`, COMPLETE);

      const created = await post("/screens", { ...SCREEN, location_id });
      await post("/screens/screen_a", { location_id });
      const before = await spot();
      await control("POST", `/locations/${location_id}/approve`);
      const after = await spot();

      expect(created.status).toBe(201);
      expect([before.news, before.ad]).toEqual([null, null]);
      expect(after.ad).not.toBeNull();
      expect(emulator.spots()).toHaveLength(2);
    },
  );

  it("C1 refuses it behind the switch screenOnUnapproved", async () => {
    const { get, post } = await vendor({ world: venueWorld({ behaviour: { screenOnUnapproved: "refuse" } }) });

    const created = await post("/screens", { ...SCREEN, location_id: "loc_review", venue_type_id: "801" });
    const approved = await post("/screens", SCREEN);

    expect([created.status, created.body.code]).toEqual([422, "location_not_approved"]);
    expect(approved.status).toBe(201);
    expect((await get("/screens/screen_new")).body.location_id).toBe("loc_approved");
  });

  it("C1 refuses only what comes to such a location, not what is there already", async () => {
    const { get, post } = await vendor({ world: venueWorld({ behaviour: { screenOnUnapproved: "refuse" } }) });
    await post("/locations/loc_approved", { lat: 48.85 });

    const changed = await post("/screens/screen_a", { venue_type_id: "807" });
    const moved = await post("/screens/screen_a", { location_id: "loc_review", venue_type_id: "801" });

    expect([changed.status, moved.status]).toEqual([200, 422]);
    expect((await get("/screens/screen_a")).body).toMatchObject({ venue_type_id: "807", location_id: "loc_approved" });
  });

  it("C3 refuses an id that is taken with 409 and leaves what is stored as it is", async () => {
    const { get, post } = await vendor();

    const { status, body } = await post("/screens", { ...SCREEN, screen_id: "screen_a", title: "Another" });

    expect([status, body.code]).toEqual([409, "already_exists"]);
    expect((await get("/screens/screen_a")).body.title).toBe("Lobby");
  });

  it("C4 refuses a location without a venue type with 422", async () => {
    const { post } = await vendor();

    const { status, body } = await post("/screens", { ...SCREEN, location_id: "loc_draft" });

    expect([status, body.code]).toEqual([422, "location_without_type"]);
  });

  it.each(["screen_id", "title", "venue_type_id", "location_id", "width", "height", "loop_duration"])(
    "A7 refuses it without %s",
    async (field) => {
      const { post } = await vendor();

      const { status, body } = await post("/screens", { ...SCREEN, [field]: undefined });

      expect([status, body.errors]).toEqual([400, [{ field, message: "is required" }]]);
    },
  );

  it.each([
    ["width", 0],
    ["width", 19.5],
    ["width", "1920"],
    ["width", null],
    ["height", -1],
    ["loop_duration", 0],
    ["loop_duration", 1.5],
    ["amount", 0],
    ["amount", 1.5],
    ["imps_weekly", -1],
    ["imps_weekly", 0.5],
    ["imps_weekly", 1e16],
  ])("C6 refuses %s %j, on create and in an update", async (field, value) => {
    const { post } = await vendor();

    const created = await post("/screens", { ...SCREEN, [field]: value });
    const updated = await post("/screens/screen_a", { title: "New", [field]: value });

    expect([created.status, updated.status]).toEqual([400, 400]);
    expect(created.body.errors[0].field).toBe(field);
  });

  it("C6 takes the least of each", async () => {
    const { post } = await vendor();
    const least = { width: 1, height: 1, loop_duration: 1, amount: 1, imps_weekly: 0 };

    expect(await post("/screens", { ...SCREEN, ...least })).toMatchObject({ status: 201, body: least });
  });

  it("C7 has null for an amount and impressions that were never set", async () => {
    const { get, post } = await vendor();
    await post("/screens", SCREEN);

    expect((await get("/screens/screen_new")).body).toMatchObject({ amount: null, imps_weekly: null });
  });
});

describe("a screen's venue type", () => {
  it.each([
    ["807", 201],
    ["80702", 201],
    ["8", 422],
    ["801", 422],
    ["80101", 422],
    ["4711", 422],
  ])("A7 %s at a hotel (807) is answered %i", async (venue_type_id, status) => {
    const { post } = await vendor();

    expect((await post("/screens", { ...SCREEN, venue_type_id })).status).toBe(status);
  });

  it.each(["loc_nowhere", "loc_b"])(
    "A7 is refused with 422 at the unknown or foreign location %s",
    async (location_id) => {
      const { get, post } = await vendor();

      const created = await post("/screens", { ...SCREEN, location_id });
      const moved = await post("/screens/screen_a", { location_id, title: "Moved" });

      expect([created.status, created.body.code]).toEqual([422, "unknown_location"]);
      expect(moved.status).toBe(422);
      expect((await get("/screens/screen_a")).body).toMatchObject({ location_id: "loc_approved", title: "Lobby" });
    },
  );

  it("C5 is judged together with the location that is sent beside it", async () => {
    const { get, post } = await vendor();

    const alone = await post("/screens/screen_a", { location_id: "loc_review" });
    const other = await post("/screens/screen_a", { venue_type_id: "80102" });
    const refused = [alone.status, other.status, (await get("/screens/screen_a")).body.venue_type_id];
    const together = await post("/screens/screen_a", { location_id: "loc_review", venue_type_id: "80102" });

    expect(refused).toEqual([422, 422, "80701"]);
    expect([together.status, together.body.location_id]).toEqual([200, "loc_review"]);
  });

  it("is judged only when something about it changes, so that a mismatch can be lived with", async () => {
    const { post } = await vendor();
    await post("/locations/loc_approved", { venue_type_id: "101" });

    const same = { title: "Still here", location_id: "loc_approved", venue_type_id: "80701" };

    expect(await post("/screens/screen_a", same)).toMatchObject({ status: 200, body: same });
  });
});

describe("moving a screen", () => {
  const statuses = async (get: (path: string) => Promise<{ body: { status: string } }>) =>
    Promise.all(["loc_approved", "loc_second"].map(async (id) => (await get(`/locations/${id}`)).body.status));

  it("C2 sends the new location to REVIEW and leaves the old one", async () => {
    const { get, post } = await vendor();

    const { status } = await post("/screens/screen_a", { location_id: "loc_second" });

    expect(status).toBe(200);
    expect(await statuses(get)).toEqual(["APPROVED", "REVIEW"]);
  });

  it("C2 sends both to REVIEW behind the switch both", async () => {
    const { control, get, post } = await vendor();
    await control("PATCH", "/behaviour", { both: true });

    await post("/screens/screen_a", { location_id: "loc_second" });

    expect(await statuses(get)).toEqual(["REVIEW", "REVIEW"]);
  });

  it("C2 is no move to where it is", async () => {
    const { get, post } = await vendor();

    await post("/screens/screen_a", { location_id: "loc_approved" });

    expect(await statuses(get)).toEqual(["APPROVED", "APPROVED"]);
  });

  it("C2 sends even a draft that lacks fields to REVIEW", async () => {
    const { get, post } = await vendor();
    await post("/locations/loc_draft", { venue_type_id: "807" });

    await post("/screens/screen_a", { location_id: "loc_draft" });

    expect((await get("/locations/loc_draft")).body).toMatchObject({ status: "REVIEW", lat: null });
  });
});

describe("updating a screen", () => {
  it("changes what is sent and nothing else", async () => {
    const { get, post } = await vendor();
    const before = (await get("/screens/screen_a")).body;

    const { status, body } = await post("/screens/screen_a", { width: 1080, height: 1920, archived: true });

    expect([status, body]).toEqual([200, { ...before, width: 1080, height: 1920, archived: true }]);
    expect((await get("/screens/screen_a")).body).toEqual(body);
  });
});
