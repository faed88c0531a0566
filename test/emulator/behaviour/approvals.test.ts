import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ask, json, running } from "../running.ts";
import { vendor, venueWorld } from "./venue.ts";

const REASONS = { rejection_reasons: ["FILTER"] };

describe("a CAR", () => {
  it("is read as the contract writes it", async () => {
    const { emulator, get } = await vendor();
    const file = await ask(emulator.mediaUrl, "/creatives/ad-coffee.mp4");

    const { status, body } = await get("/cars/car_pending");

    expect(status).toBe(200);
    expect(body).toEqual({
      car_id: "car_pending",
      status: "pending",
      advertiser_name: "Kettle",
      cities: ["Hamburg"],
      countries: [],
      item: {
        url: `${emulator.mediaUrl}/creatives/ad-coffee.mp4`,
        title: "Kettle & Crane: the second cup is on us",
        width: 1280,
        height: 720,
        duration: 5000,
        mimeType: "video/mp4",
        size: file.body.length,
        md5: createHash("md5").update(file.body).digest("hex"),
      },
      rejection_reasons: null,
      custom_message: null,
      created_on: "2026-01-05T09:00:00.000Z",
    });
  });

  it("E6 has its duration in milliseconds, as its spot has", async () => {
    const { control, get, spot } = await vendor();
    await control("POST", "/cars/car_pending/approve");

    const { body } = await get("/cars/car_pending");

    expect(body.item.duration).toBe((await spot()).ad.duration);
  });
});

describe("rejecting a CAR", () => {
  it("answers with the rejected one under the contract's other names", async () => {
    const { emulator, get, post } = await vendor();
    emulator.clock.advance(1500);

    const { status, body } = await post("/cars/car_pending/reject", REASONS);

    expect(status).toBe(200);
    expect(body).toEqual({
      id: "car_pending",
      status: "rejected",
      advertiser_name: "Kettle",
      campaign_name: "Second cup",
      rejection_reasons: ["FILTER"],
      custom_message: null,
      created_at: "2026-01-05T09:00:00.000Z",
      updated_at: "2026-03-02T08:00:01.500Z",
    });
    expect((await get("/cars/car_pending")).body).toMatchObject({ status: "rejected", rejection_reasons: ["FILTER"] });
  });

  it.each([
    ["a bad token before all else", "/vendor/nobody/cars/nothing/reject", "{", 401],
    ["an unknown CAR before the body", "/vendor/org_a/cars/nothing/reject", "{", 404],
    ["another organization's CAR before the body", "/vendor/org_a/cars/car_b/reject", "{", 404],
    ["a malformed id", "/vendor/org_a/cars/%20/reject", "{", 404],
    ["the body's shape before the state", "/vendor/org_a/cars/car_rejected/reject", '{"rejection_reasons":[]}', 400],
    ["the state before the message", "/vendor/org_a/cars/car_rejected/reject", '{"rejection_reasons":["CUSTOM"]}', 400],
    ["the message last", "/vendor/org_a/cars/car_pending/reject", '{"rejection_reasons":["CUSTOM"]}', 422],
  ])("E1 judges %s", async (_, path, body, status) => {
    const { emulator } = await vendor();
    const headers = { "content-type": "application/json" };

    expect((await ask(emulator.baseUrl, path, { method: "POST", headers, body })).status).toBe(status);
  });

  it("E1 tells a wrong shape from a state that is decided by their codes", async () => {
    const { post } = await vendor();

    const shape = await post("/cars/car_rejected/reject", { rejection_reasons: ["NONE"] });
    const state = await post("/cars/car_rejected/reject", { rejection_reasons: ["CUSTOM"] });
    const approved = await post("/cars/car_approved/reject", REASONS);

    expect([shape.body.code, state.body.code, approved.body.code]).toEqual([
      "invalid",
      "already_decided",
      "already_decided",
    ]);
  });

  it.each([[[]], [["BORING"]], ["FILTER"], [null], [undefined], [[null]], [["filter"]], [[["FILTER"]]]])(
    "E2 refuses the reasons %j with 400",
    async (rejection_reasons) => {
      const { get, post } = await vendor();

      expect((await post("/cars/car_pending/reject", { rejection_reasons })).status).toBe(400);
      expect((await get("/cars/car_pending")).body.status).toBe("pending");
    },
  );

  it("E2 counts a reason that comes twice once", async () => {
    const { post } = await vendor();

    const { body } = await post("/cars/car_pending/reject", { rejection_reasons: ["FILTER", "ADVERTISER", "FILTER"] });

    expect(body.rejection_reasons).toEqual(["FILTER", "ADVERTISER"]);
  });

  it.each(["  \n", "", null, undefined])("E3 refuses CUSTOM with the message %j with 422", async (custom_message) => {
    const { get, post } = await vendor();

    const { status, body } = await post("/cars/car_pending/reject", { rejection_reasons: ["CUSTOM"], custom_message });

    expect([status, body.errors[0].field]).toEqual([422, "custom_message"]);
    expect((await get("/cars/car_pending")).body.status).toBe("pending");
  });

  it("E4 keeps a message that comes without CUSTOM", async () => {
    const { get, post } = await vendor();

    const { body } = await post("/cars/car_pending/reject", { ...REASONS, custom_message: "See 4.2" });

    expect(body.custom_message).toBe("See 4.2");
    expect((await get("/cars/car_pending")).body.custom_message).toBe("See 4.2");
  });

  it("E8 notes in the journal that the advertiser is notified, and only then", async () => {
    const { emulator, post } = await vendor();

    await post("/cars/car_pending/reject", REASONS);
    await post("/cars/car_pending/reject", REASONS);

    expect(emulator.calls().map(({ status, events }) => [status, events])).toEqual([
      [200, ["the advertiser of CAR car_pending is notified of its rejection"]],
      [400, []],
    ]);
  });

  it("E7 is for good: a revised creative is a new CAR, and the rejected one never changes", async () => {
    const { control, get } = await vendor();
    const rejected = await get("/cars/car_rejected");

    const revised = await control("POST", "/cars", { org_token: "org_a", campaign_name: "Second cup, again" });
    const approved = await control("POST", "/cars/car_rejected/approve");

    expect([revised.status, approved.status]).toEqual([201, 409]);
    expect(revised.body.car_id).not.toBe("car_rejected");
    expect((await get("/cars/car_rejected")).body).toEqual(rejected.body);
  });
});

describe("approving a CAR", () => {
  it("E5 is the operator's to do, once", async () => {
    const { control, get, post } = await vendor();

    const approved = await control("POST", "/cars/car_pending/approve");
    const twice = await control("POST", "/cars/car_pending/approve");
    const rejected = await post("/cars/car_pending/reject", REASONS);

    expect([approved.status, approved.body.status]).toEqual([200, "approved"]);
    expect([twice.status, rejected.status]).toEqual([409, 400]);
    expect((await get("/cars/car_pending")).body).toMatchObject({ status: "approved", rejection_reasons: null });
  });

  it("E5 can come by itself, a while after the CAR came in", async () => {
    const { control, emulator, get } = await vendor({ world: venueWorld({ autoApprove: { carsMs: 60_000 } }) });
    emulator.clock.advance(30_000);
    const { body: late } = await control("POST", "/cars", {});
    const status = async (id: string) => (await get(`/cars/${id}`)).body.status;

    emulator.clock.advance(29_999);
    const before = await status("car_pending");
    emulator.clock.advance(1);

    expect([before, await status("car_pending"), await status(late.car_id)]).toEqual([
      "pending",
      "approved",
      "pending",
    ]);
    expect((await get("/cars/car_rejected")).body.status).toBe("rejected");
  });

  it("E5 comes to a CAR that came in after the clock was set back", async () => {
    const { control, emulator, get } = await vendor({ world: venueWorld({ autoApprove: { carsMs: 60_000 } }) });
    const now = emulator.clock.now();
    await control("PUT", "/clock", { mode: "frozen", now: new Date(now + 365 * 86_400_000).toISOString() });
    await control("POST", "/cars", {});
    await control("PUT", "/clock", { mode: "frozen", now: new Date(now).toISOString() });
    const { body: late } = await control("POST", "/cars", {});
    emulator.clock.advance(60_000);

    expect((await get(`/cars/${late.car_id}`)).body.status).toBe("approved");
  });

  it("E5 does not come to a CAR that has been decided before", async () => {
    const { control, emulator, get, post } = await vendor({ world: venueWorld({ autoApprove: { carsMs: 60_000 } }) });
    await post("/cars/car_pending/reject", REASONS);
    await control("POST", "/cars/car_b/approve");
    emulator.clock.advance(60_000);

    expect((await get("/cars/car_pending")).body.status).toBe("rejected");
    expect(emulator.calls().flatMap(({ events }) => events)).toEqual([
      "the advertiser of CAR car_pending is notified of its rejection",
    ]);
  });

  it("E5 takes 48 virtual hours in the demo world", async () => {
    const { baseUrl, clock } = await running();
    const status = async () => json(await ask(baseUrl, "/vendor/org_demo/cars/car_cinema")).status;
    clock.advance(48 * 3_600_000 - 1);
    const before = await status();
    clock.advance(1);

    expect([before, await status()]).toEqual(["pending", "approved"]);
  });

  it("E9 has its creative served from then on, and a rejection stops it", async () => {
    const { control, get, post, spot } = await vendor({ world: onlyPending() });
    const item = {
      url: "https://cdn.example/new.mp4?sig=a%2Fb",
      title: "New",
      width: 640,
      height: 360,
      duration: 7000,
      mimeType: "video/mp4",
    };
    const before = await spot();
    const { body: made } = await control("POST", "/cars", { item });
    const pending = await spot();
    await control("POST", `/cars/${made.car_id}/approve`);
    const approved = await spot();

    expect([before.ad, pending.ad, pending.billable]).toEqual([null, null, false]);
    expect(approved).toMatchObject({ billable: true, ad: { ...item, id: made.car_id } });
    expect((await get(`/cars/${made.car_id}`)).body.item).toEqual({ ...item, size: null, md5: null });
    await post("/cars/car_pending/reject", REASONS);
    expect((await control("POST", "/cars/car_pending/approve")).status).toBe(409);
    expect((await spot()).ad.id).toBe(made.car_id);
  });
});

/** The world of these tests with nothing approved in it. */
function onlyPending() {
  const world = venueWorld();
  const organizations = world.organizations.map((organization) => ({
    ...organization,
    cars: (organization.cars ?? []).filter(({ status }) => status === undefined),
    campaigns: (organization.campaigns ?? []).filter(({ car_id }) => car_id === "car_pending"),
  }));
  return { ...world, organizations };
}
