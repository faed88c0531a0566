import { describe, expect, it } from "vitest";
import { COMPLETE, vendor, venueWorld } from "../behaviour/venue.ts";
import { ask, json } from "../running.ts";

const ids = (list: readonly Readonly<Record<string, unknown>>[], key: string) => list.map((entry) => entry[key]);

describe("the organizations over HTTP", () => {
  it("are listed with how much they own", async () => {
    const { control } = await vendor();

    expect((await control("GET", "/organizations")).body).toEqual([
      { org_token: "org_a", locations: 4, screens: 1, cars: 3 },
      { org_token: "org_b", locations: 1, screens: 1, cars: 1 },
    ]);
  });

  it("can be added, and then own nothing and create what they like", async () => {
    const { control } = await vendor();
    const { emulator } = await vendor();
    expect(emulator.orgToken).toBe("org_a");

    const added = await control("POST", "/organizations", { org_token: "org_new" });
    const twice = await control("POST", "/organizations", { org_token: "org_new" });
    const odd = await control("POST", "/organizations", { org_token: "with space" });

    expect([added.status, added.body]).toEqual([201, { org_token: "org_new", locations: 0, screens: 0, cars: 0 }]);
    expect([twice.status, odd.status]).toEqual([409, 400]);
  });

  it("can be revoked, and then every call of theirs is 401", async () => {
    const { control, get, spot } = await vendor();

    const revoked = await control("DELETE", "/organizations/org_a");
    const again = await control("DELETE", "/organizations/org_a");

    expect([revoked.status, again.status]).toEqual([200, 404]);
    expect((await get("/locations/loc_approved")).status).toBe(401);
    expect(await spot()).toBeUndefined();
  });

  it("make an added token valid at once", async () => {
    const { control, get } = await vendor({}, "org_new");
    const before = await get("/venue_types");
    await control("POST", "/organizations", { org_token: "org_new" });

    expect([before.status, (await get("/venue_types")).status]).toEqual([401, 200]);
  });
});

describe("the lists that the contract lacks", () => {
  it.each([
    ["/locations", ["loc_approved", "loc_second", "loc_review", "loc_draft", "loc_b"]],
    ["/locations?org_token=org_b", ["loc_b"]],
    ["/locations?status=APPROVED", ["loc_approved", "loc_second", "loc_b"]],
    ["/locations?status=DRAFT&org_token=org_a", ["loc_draft"]],
    ["/locations?org_token=nobody", []],
  ])("of %s are %j", async (path, expected) => {
    const { control } = await vendor();

    expect(ids((await control("GET", path)).body, "location_id")).toEqual(expected);
  });

  it.each([
    ["/screens", ["screen_a", "screen_b"]],
    ["/screens?org_token=org_b", ["screen_b"]],
    ["/screens?status=REVIEW", []],
    ["/screens?status=APPROVED", ["screen_a", "screen_b"]],
  ])("of %s are %j", async (path, expected) => {
    const { control } = await vendor();

    expect(ids((await control("GET", path)).body, "screen_id")).toEqual(expected);
  });

  it.each([
    ["/cars", ["car_pending", "car_approved", "car_rejected", "car_b"]],
    ["/cars?status=pending", ["car_pending", "car_b"]],
    ["/cars?status=rejected&org_token=org_a", ["car_rejected"]],
  ])("of %s are %j", async (path, expected) => {
    const { control } = await vendor();

    expect(ids((await control("GET", path)).body, "car_id")).toEqual(expected);
  });

  it.each(["/locations?status=approved", "/cars?status=APPROVED", "/screens?colour=red"])("refuse %s", async (path) => {
    const { control } = await vendor();

    expect((await control("GET", path)).status).toBe(400);
  });

  it("show the whole of each, with its owner", async () => {
    const { control, get } = await vendor();

    const [location] = (await control("GET", "/locations")).body;
    const [car] = (await control("GET", "/cars")).body;

    expect(location).toEqual({
      org_token: "org_a",
      ...(await get("/locations/loc_approved")).body,
      venue_type: "Hotels",
    });
    expect(car).toMatchObject({ org_token: "org_a", ...(await get("/cars/car_pending")).body });
  });
});

describe("the operator's decisions over HTTP", () => {
  it("need a location or CAR that is there", async () => {
    const { control } = await vendor();

    const answers = [
      await control("POST", "/locations/loc_nowhere/approve"),
      await control("POST", "/locations/loc_nowhere/return"),
      await control("POST", "/cars/car_none/approve"),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("ask whose it is when several organizations have one of that name", async () => {
    const { control, post } = await vendor({}, "org_b");
    await post("/locations", { location_id: "loc_review", title: "Ours", ...COMPLETE });

    const ambiguous = await control("POST", "/locations/loc_review/approve");
    const named = await control("POST", "/locations/loc_review/approve?org_token=org_b");

    expect([ambiguous.status, ambiguous.body.code]).toEqual([409, "ambiguous"]);
    expect([named.status, named.body.org_token]).toEqual([200, "org_b"]);
    expect((await control("GET", "/locations?status=REVIEW")).body).toMatchObject([{ org_token: "org_a" }]);
  });

  it("make up whatever a new CAR is not told", async () => {
    const { control } = await vendor();

    const made = await control("POST", "/cars", {});
    const told = await control("POST", "/cars", {
      org_token: "org_b",
      advertiser_name: "Me",
      cities: [],
      countries: ["FRA"],
    });

    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      org_token: "org_a",
      car_id: expect.stringMatching(/^car_/),
      status: "pending",
      advertiser_name: expect.any(String),
      campaign_name: expect.any(String),
      cities: [expect.any(String)],
      countries: ["DEU"],
      item: expect.objectContaining({ duration: expect.any(Number), md5: expect.stringMatching(/^[0-9a-f]{32}$/) }),
      rejection_reasons: null,
      custom_message: null,
      created_on: "2026-03-02T08:00:00.000Z",
      updated_on: "2026-03-02T08:00:00.000Z",
    });
    expect(told.body).toMatchObject({ org_token: "org_b", advertiser_name: "Me", cities: [], countries: ["FRA"] });
  });

  it("make up a whole CAR for a call without a body", async () => {
    const { emulator, control } = await vendor();

    const reply = await ask(emulator.controlUrl, "/control/cars", { method: "POST" });

    expect(reply.status).toBe(201);
    expect((await control("GET", "/cars?status=pending")).body).toContainEqual(json(reply));
  });

  it("put a relative url of a new CAR on the media listener", async () => {
    const { emulator, control } = await vendor();
    const item = {
      title: "T",
      width: 1920,
      height: 1080,
      duration: 6000,
      mimeType: "text/html",
      url: "creatives/a.html",
    };

    const made = await control("POST", "/cars", { item });

    expect(made.body.item.url).toBe(`${emulator.mediaUrl}/creatives/a.html`);
  });

  it.each([{ item: { url: "x" } }, { advertiser_name: "" }, { colour: "red" }])(
    "refuse the new CAR %j",
    async (body) => {
      const { control } = await vendor();

      expect((await control("POST", "/cars", body)).status).toBe(400);
    },
  );

  it("refuse a new CAR for an organization that is not there", async () => {
    const { control } = await vendor();

    expect((await control("POST", "/cars", { org_token: "nobody" })).status).toBe(404);
  });

  it("are gone after a reset", async () => {
    const { control } = await vendor({ world: venueWorld() });
    await control("POST", "/locations/loc_review/approve");
    await control("POST", "/cars", {});
    await control("POST", "/organizations", { org_token: "org_new" });

    await control("POST", "/reset");

    expect((await control("GET", "/locations?status=REVIEW")).body).toHaveLength(1);
    expect((await control("GET", "/cars")).body).toHaveLength(4);
    expect((await control("GET", "/organizations")).body).toHaveLength(2);
  });
});
