import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorSchema } from "../../../src/wire/errors.ts";
import { ask, json } from "../running.ts";
import { COMPLETE, SCREEN, vendor, venueWorld } from "./venue.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Every endpoint of the contract, with a token and with ids to be put in. */
const ENDPOINTS = [
  ["POST", "/vendor/TOKEN/locations"],
  ["GET", "/vendor/TOKEN/locations/loc_approved"],
  ["POST", "/vendor/TOKEN/locations/loc_approved"],
  ["POST", "/vendor/TOKEN/screens"],
  ["GET", "/vendor/TOKEN/screens/screen_a"],
  ["POST", "/vendor/TOKEN/screens/screen_a"],
  ["GET", "/vendor/TOKEN/venue_types"],
  ["GET", "/vendor/TOKEN/cars/car_pending"],
  ["POST", "/vendor/TOKEN/cars/car_pending/reject"],
  ["GET", "/v3/vendor/TOKEN/1/rt_ad/screen_a"],
] as const;

describe("an error", () => {
  it("A1 is a JSON body with detail, code, status and title, and with errors for field problems only", async () => {
    const { get, post } = await vendor();

    const plain = await get("/locations/nothing");
    const fields = await post("/locations", { lat: "1", long: 181 });

    expect(plain.headers["content-type"]).toBe("application/json");
    expect(plain.body).toEqual({
      detail: "the organization has no location nothing",
      code: "unknown_location",
      status: 404,
      title: "Not Found",
    });
    expect(fields.body).toEqual({
      detail: expect.any(String),
      code: "invalid",
      status: 400,
      title: "Bad Request",
      errors: [
        { field: "title", message: "is required" },
        { field: "lat", message: expect.any(String) },
        { field: "long", message: expect.any(String) },
      ],
    });
  });

  it("A1 has the same shape wherever it comes from", async () => {
    const { emulator } = await vendor();
    const replies = await Promise.all([
      ask(emulator.baseUrl, "/nothing"),
      ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "DELETE" }),
      ask(emulator.baseUrl, "/vendor//locations", { method: "POST" }),
      ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", headers: { "content-type": "text/html" } }),
      ask(emulator.mediaUrl, "/pop/unknown"),
      ask(emulator.controlUrl, "/control/nothing"),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([404, 405, 401, 415, 404, 404]);
    for (const reply of replies) expect(errorSchema.strict().parse(json(reply)).status).toBe(reply.status);
  });

  it("A2 says by its status alone what it is, even where it has no body", async () => {
    const { emulator } = await vendor();

    const head = await ask(emulator.baseUrl, "/vendor/nobody/screens/screen_a", { method: "HEAD" });

    expect([head.status, head.body.length]).toEqual([401, 0]);
  });
});

describe("a success", () => {
  it("A3 is 201 with the whole object and its Location on create", async () => {
    const { get, post } = await vendor();

    const location = await post("/locations", { location_id: "loc_1", title: "One" });
    const screen = await post("/screens", SCREEN);

    expect([location.status, screen.status]).toEqual([201, 201]);
    expect([location.headers.location, screen.headers.location]).toEqual([
      "/vendor/org_a/locations/loc_1",
      "/vendor/org_a/screens/screen_new",
    ]);
    expect((await get("/locations/loc_1")).body).toEqual(location.body);
    expect((await get("/screens/screen_new")).body).toEqual(screen.body);
  });

  it("A3 is 200 on create behind the switch createStatus", async () => {
    const { post } = await vendor({ world: venueWorld({ behaviour: { createStatus: 200 } }) });

    const location = await post("/locations", { title: "One" });

    expect([location.status, (await post("/screens", SCREEN)).status]).toEqual([200, 200]);
    expect(location.body).toMatchObject({ title: "One", status: "DRAFT" });
  });

  it("A3 is 200 for everything else", async () => {
    const { emulator, get, post } = await vendor();

    const answers = [
      await get("/locations/loc_draft"),
      await post("/locations/loc_draft", { title: "L" }),
      await get("/screens/screen_a"),
      await post("/screens/screen_a", { title: "S" }),
      await get("/venue_types"),
      await get("/cars/car_pending"),
      await post("/cars/car_pending/reject", { rejection_reasons: ["ADVERTISER"] }),
      await ask(emulator.baseUrl, "/v3/vendor/org_a/1/rt_ad/screen_a"),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});

describe("the organization token", () => {
  it.each(ENDPOINTS)("A4 is missing: %s %s is answered 401", async (method, path) => {
    const { emulator } = await vendor();

    const reply = await ask(emulator.baseUrl, path.replace("TOKEN", ""), { method });

    expect([reply.status, json(reply).code]).toEqual([401, "unauthorized"]);
  });

  it.each(ENDPOINTS)("A5 is nobody's: %s %s is answered 401", async (method, path) => {
    const { emulator } = await vendor();

    const statuses = ["nobody", "ORG_A", "org_a%20", "%00", "x".repeat(500)].map(async (token) => {
      return (await ask(emulator.baseUrl, path.replace("TOKEN", token), { method })).status;
    });

    expect(await Promise.all(statuses)).toEqual([401, 401, 401, 401, 401]);
  });

  it("A5 is answered 404 on the spot behind the switch spotBadToken, and 401 everywhere else", async () => {
    const { control, emulator } = await vendor();
    await control("PATCH", "/behaviour", { spotBadToken: 404 });

    const spot = await ask(emulator.baseUrl, "/v3/vendor/nobody/1/rt_ad/screen_a");
    const other = await ask(emulator.baseUrl, "/vendor/nobody/screens/screen_a");

    expect([spot.status, other.status]).toEqual([404, 401]);
  });

  it.each(["/locations/loc_approved", "/screens/screen_a", "/cars/car_pending"])(
    "A6 does not open another organization's %s",
    async (path) => {
      const { get, post } = await vendor({}, "org_b");
      const body = path.includes("cars") ? { rejection_reasons: ["FILTER"] } : { title: "Mine" };

      const read = await get(path);
      const written = await post(path.includes("cars") ? `${path}/reject` : path, body);

      expect([read.status, written.status]).toEqual([404, 404]);
    },
  );
});

describe("a request", () => {
  it("A7 is 400 for the wrong shape and 422 for a rule that spans fields", async () => {
    const { post } = await vendor();

    const wrong = [{ lat: "1" }, { opening_168: [] }, { status: "OPEN" }, { status: "DRAFT" }];
    const unfit = [{ venue_type_id: "80701" }, { status: "REVIEW" }];
    const answers = await Promise.all([...wrong, ...unfit].map((body) => post("/locations/loc_draft", body)));

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 422, 422]);
  });

  it("A7 is told of the wrong shape first", async () => {
    const { post } = await vendor();

    expect((await post("/locations/loc_draft", { venue_type_id: "1", lat: "x" })).status).toBe(400);
  });

  it.each([
    ["something that is not JSON", "{title: 1}", JSON_TYPE, 400],
    ["half of it", '{"title":', JSON_TYPE, 400],
    ["bytes that are no UTF-8", '{"title":"\u00ff"}', JSON_TYPE, 400],
    ["a list", "[]", JSON_TYPE, 400],
    ["a text", '"title"', JSON_TYPE, 400],
    ["null", "null", JSON_TYPE, 400],
    ["a number", "7", JSON_TYPE, 400],
    ["nothing", "", JSON_TYPE, 400],
    ["nothing, of no type", "", {}, 400],
    ["JSON as a form", '{"title":"T"}', { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["JSON as text", '{"title":"T"}', { "content-type": "text/plain" }, 415],
    ["JSON of no type", '{"title":"T"}', {}, 415],
    ["JSON with a charset", '{"title":"T"}', { "content-type": "Application/JSON; charset=utf-8" }, 201],
  ])("A8 of %s is answered rightly", async (_, body, headers, status) => {
    const { emulator } = await vendor();
    const { hostname, port } = new URL(emulator.baseUrl);
    const bytes = Buffer.from(body, "latin1");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /vendor/org_a/locations HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.join("")}content-length: ${bytes.length}\r\n\r\n`,
    );
    socket.end(bytes);
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      answer += text;
    });
    await once(socket, "close");

    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("A8 of a compressed body says that it is not read", async () => {
    const { emulator } = await vendor();
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const body = new Uint8Array(gzipSync('{"title":"T"}'));
    const answer = await fetch(`${emulator.baseUrl}/vendor/org_a/locations`, { method: "POST", headers, body });

    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { detail: "the body is not UTF-8: Content-Encoding gzip is not read here, so send it as it is" },
    ]);
  });

  it.each(["locations/loc_approved", "screens/screen_a", "cars/car_pending/reject"])(
    "A8 of nothing to %s is answered 400",
    async (path) => {
      const { emulator } = await vendor();

      expect((await ask(emulator.baseUrl, `/vendor/org_a/${path}`, { method: "POST" })).status).toBe(400);
    },
  );

  it("A9 may carry what is unknown or read-only: ignored, with a warning", async () => {
    const { get, post, warnings } = await vendor();

    const { status, body } = await post("/locations/loc_approved", {
      colour: "red",
      location_id: "loc_other",
      timezone: "Asia/Tokyo",
      constructor: 1,
      phone: "1",
    });

    expect([status, body.phone, body.location_id]).toEqual([200, "1", "loc_approved"]);
    expect(warnings()).toEqual([
      "ignored field colour",
      "ignored field location_id",
      "ignored field timezone",
      "ignored field constructor",
    ]);
    expect((await get("/locations/loc_approved")).body).not.toHaveProperty("colour");
  });

  it("A9 is refused for it behind the switch unknownFields", async () => {
    const { get, post } = await vendor({ world: venueWorld({ behaviour: { unknownFields: "reject" } }) });

    const update = await post("/locations/loc_approved", { phone: "1", colour: "red" });
    const create = await post("/locations", { title: "T", status: "DRAFT" });
    const reject = await post("/cars/car_pending/reject", { rejection_reasons: ["FILTER"], why: "" });

    expect([update.status, create.status, reject.status]).toEqual([400, 400, 400]);
    expect(update.body).toMatchObject({ code: "unknown_field", errors: [{ field: "colour" }] });
    expect((await get("/locations/loc_approved")).body.phone).toBeNull();
  });

  it.each([
    ["/locations/loc_approved", "email"],
    ["/locations/loc_approved", "phone"],
    ["/screens/screen_a", "amount"],
    ["/screens/screen_a", "imps_weekly"],
  ])("A12 clears on %s: %s with null", async (path, field) => {
    const { get, post } = await vendor();
    await post(path, { [field]: path.includes("screens") ? 5 : "x" });

    const { status, body } = await post(path, { [field]: null });

    expect([status, body[field], (await get(path)).body[field]]).toEqual([200, null, null]);
  });

  it.each([
    ["/locations/loc_approved", ["title", "venue_type_id", "lat", "long", "opening_168", "visitors_7", "archived"]],
    ["/screens/screen_a", ["title", "venue_type_id", "location_id", "width", "height", "loop_duration", "archived"]],
  ])("A12 refuses null on %s for the rest", async (path, fields) => {
    const { post } = await vendor();

    const answers = await Promise.all(fields.map((field) => post(path, { [field]: null })));

    expect(answers.map(({ status }) => status)).toEqual(fields.map(() => 400));
  });

  it.each(["/locations/loc_draft", "/locations/loc_approved", "/screens/screen_a"])(
    "A13 changes nothing on %s when it is empty",
    async (path) => {
      const { get, post } = await vendor();
      const before = await get(path);

      const { status, body } = await post(path, {});

      expect([status, body]).toEqual([200, before.body]);
    },
  );

  it.each([
    ["token", "/vendor/org_a/venue_types", "/vendor/org_b/venue_types"],
    ["screen", "/v3/vendor/org_a/1/rt_ad/screen_a", "/v3/vendor/org_b/1/rt_ad/screen_b"],
    ["route", "/vendor/org_a/venue_types", "/vendor/org_a/cars/car_pending"],
  ] as const)("A14 is limited for each %s", async (per, one, other) => {
    const { emulator } = await vendor({ world: venueWorld({ rateLimits: [{ per, calls: 1, seconds: 30 }] }) });
    await ask(emulator.baseUrl, one);

    const refused = await ask(emulator.baseUrl, one);
    const free = await ask(emulator.baseUrl, other);
    emulator.clock.advance(30_000);
    const later = await ask(emulator.baseUrl, one);

    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "30"]);
    expect([free.status, later.status]).toEqual([200, 200]);
  });

  it("A14 is not limited for its screen when it is about none", async () => {
    const world = venueWorld({ rateLimits: [{ per: "screen", calls: 0, seconds: 30 }] });
    const { get, post } = await vendor({ world });

    const statuses = [
      await get("/venue_types"),
      await get("/screens/screen_a"),
      await post("/locations", { title: "T" }),
    ];

    expect(statuses.map(({ status }) => status)).toEqual([200, 429, 201]);
  });

  it("A14 is refused before any work: nothing is read and nothing changes", async () => {
    const { control, post } = await vendor({
      world: venueWorld({ rateLimits: [{ per: "token", calls: 0, seconds: 1 }] }),
    });

    const refused = await post("/cars/car_pending/reject", { rejection_reasons: ["FILTER"] });

    expect(refused.status).toBe(429);
    expect((await control("GET", "/cars?status=pending&org_token=org_a")).body).toHaveLength(1);
  });

  it.each([
    ["GET", "/vendor/org_a/locations", "POST"],
    ["DELETE", "/vendor/org_a/locations/loc_draft", "GET, POST"],
    ["PUT", "/vendor/org_a/locations/loc_draft", "GET, POST"],
    ["GET", "/vendor/org_a/screens", "POST"],
    ["DELETE", "/vendor/org_a/screens/screen_a", "GET, POST"],
    ["POST", "/vendor/org_a/venue_types", "GET"],
    ["POST", "/vendor/org_a/cars/car_pending", "GET"],
    ["GET", "/vendor/org_a/cars/car_pending/reject", "POST"],
  ])("A15 refuses %s %s with 405, allowing %s", async (method, path, allow) => {
    const { emulator } = await vendor();

    const reply = await ask(emulator.baseUrl, path, { method });

    expect([reply.status, reply.headers.allow]).toEqual([405, allow]);
  });

  it.each(["GET", "POST", "DELETE"])(
    "A15 refuses %s of the list of CARs with 405, allowing nothing",
    async (method) => {
      const { emulator } = await vendor();

      const refused = await ask(emulator.baseUrl, "/vendor/org_a/cars", { method });
      const stranger = await ask(emulator.baseUrl, "/vendor/org_none/cars", { method });

      expect([refused.status, refused.headers.allow, stranger.status]).toEqual([405, "", 401]);
    },
  );

  it.each(["/vendor/org_a/cars/car_pending/approve", "/vendor/org_a/locations/", "/vendor"])(
    "A15 finds nothing at %s",
    async (path) => {
      const { emulator } = await vendor();

      expect((await ask(emulator.baseUrl, path, { method: "POST" })).status).toBe(404);
    },
  );

  it.each(["", "a b", "ä", "a/b", "x".repeat(65), 7, null])("A17 is refused with 400 for the id %j", async (id) => {
    const { post } = await vendor();

    const location = await post("/locations", { location_id: id, title: "T" });
    const screen = await post("/screens", { ...SCREEN, screen_id: id });

    expect([location.status, screen.status]).toEqual([400, 400]);
  });

  it.each(["%20", "a%2Fb", "x".repeat(65), "..%2e"])("A17 is answered 404 for the id %s in its path", async (id) => {
    const { get } = await vendor();

    const answers = await Promise.all(["locations", "screens", "cars"].map((kind) => get(`/${kind}/${id}`)));

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("A17 is given a readable id where it brings none, another each time, the same from the same seed", async () => {
    const made = async () => {
      const { control, post } = await vendor();
      const ids = [await post("/locations", { title: "T" }), await post("/locations", { title: "T" })];
      const car = await control("POST", "/cars", {});
      return [...ids.map(({ body }) => body.location_id), car.body.car_id];
    };
    const ids = await made();

    expect(ids[0]).toMatch(/^loc_[a-z2-9]{8}$/);
    expect(ids[2]).toMatch(/^car_[a-z2-9]{8}$/);
    expect(ids[0]).not.toBe(ids[1]);
    expect(await made()).toEqual(ids);
  });

  it.each(["A.b-c_9", "x".repeat(64), "0"])("A17 may bring the id %s", async (id) => {
    const { post } = await vendor();

    expect((await post("/locations", { location_id: id, title: "T" })).status).toBe(201);
  });

  it("A18 wins over those before it, field by field", async () => {
    const { get, post } = await vendor();

    await Promise.all(Array.from({ length: 20 }, (_, turn) => post("/locations/loc_draft", { phone: String(turn) })));
    await post("/locations/loc_draft", { phone: "last" });
    await post("/locations/loc_draft", { email: "e" });

    expect((await get("/locations/loc_draft")).body).toMatchObject({ phone: "last", email: "e", title: "Library" });
  });

  it("A20 is refused with 413 beyond 1 MiB, and taken at exactly that", async () => {
    const { get, post } = await vendor();
    const padded = (bytes: number) => {
      const empty = JSON.stringify({ title: "Big", phone: "" }).length;
      return { title: "Big", phone: "x".repeat(bytes - empty) };
    };

    const over = await post("/locations/loc_draft", padded(1024 * 1024 + 1));
    const untouched = (await get("/locations/loc_draft")).body.title;
    const exact = await post("/locations/loc_draft", padded(1024 * 1024));

    expect([over.status, untouched, exact.status]).toEqual([413, "Library", 200]);
  });
});

describe("an answer", () => {
  it("A10 has no more than the contract's fields", async () => {
    const { get, spot } = await vendor();

    expect(Object.keys((await get("/locations/loc_approved")).body)).toHaveLength(18);
    expect(Object.keys((await get("/screens/screen_a")).body)).toHaveLength(11);
    expect(Object.keys((await get("/cars/car_pending")).body)).toHaveLength(9);
    expect(Object.keys((await spot()).ad)).toHaveLength(8);
  });

  it("A11 has every key, null where nothing is known", async () => {
    const { get } = await vendor();

    const { body } = await get("/locations/loc_draft");

    expect(body).toEqual({
      ...{ location_id: "loc_draft", title: "Library", status: "DRAFT", available_for_ads: false, archived: false },
      ...{ venue_type_id: null, lat: null, long: null, opening_168: null, visitors_7: null, email: null, phone: null },
      ...{ timezone: null, country: null, region: null, city: null, zip: null, address: null },
    });
    expect((await get("/screens/screen_a")).body).toMatchObject({ amount: null, imps_weekly: null });
  });

  it("A16 has its timestamps in UTC with Z", async () => {
    const { control, get, post } = await vendor();
    const { body } = await control("POST", "/cars", {});

    const read = await get(`/cars/${body.car_id}`);
    const rejected = await post(`/cars/${body.car_id}/reject`, { rejection_reasons: ["ADVERTISER"] });

    expect(read.body.created_on).toBe("2026-03-02T08:00:00.000Z");
    expect([rejected.body.created_at, rejected.body.updated_at]).toEqual([
      "2026-03-02T08:00:00.000Z",
      "2026-03-02T08:00:00.000Z",
    ]);
  });

  it("A19 may be kept for a day when it is the venue types, and not at all when it is the inventory", async () => {
    const { get } = await vendor();
    const paths = ["/venue_types", "/locations/loc_draft", "/screens/screen_a", "/cars/car_pending"];

    const answers = await Promise.all(paths.map(get));

    expect(answers.map(({ headers }) => headers["cache-control"])).toEqual([
      "private, max-age=86400",
      "no-store",
      "no-store",
      "no-store",
    ]);
  });

  it("is as complete for a location that went the whole way", async () => {
    const { control, get, post } = await vendor();
    await post("/locations", { location_id: "loc_1", title: "One", ...COMPLETE });
    await control("POST", "/locations/loc_1/approve");

    expect((await get("/locations/loc_1")).body).toMatchObject({ ...COMPLETE, status: "APPROVED", country: "DEU" });
  });
});

describe("other versions", () => {
  it.each([
    "/v2/vendor/org_a/1/rt_ad/screen_a",
    "/v3/vendor/org_a/2/rt_ad/screen_a",
    "/v3/vendor/org_a/locations",
    "/v1/vendor/org_a/venue_types",
  ])("A21 are not at %s", async (path) => {
    const { emulator } = await vendor();

    expect((await ask(emulator.baseUrl, path)).status).toBe(404);
  });
});
