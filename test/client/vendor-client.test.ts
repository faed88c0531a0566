import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { READ_TRIES, VendorClient, type VendorClientOptions, VendorService } from "../../src/client/vendor-client.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { running } from "../emulator/running.ts";
import { answer, inTurn, nobody, serve } from "./server.ts";

const ALWAYS = Array<boolean>(168).fill(true);
const WEEK = [1, 2, 3, 4, 5, 6, 7];
const GYM = { title: "Gym", venue_type_id: "401", lat: 52.5, long: 13.4, opening_168: ALWAYS, visitors_7: WEEK };
const DOOR = { title: "Door", venue_type_id: "40101", width: 1920, height: 1080, loop_duration: 60 };

function at(baseUrl: string, options: Partial<VendorClientOptions> = {}) {
  return new VendorClient({ baseUrl, orgToken: "org_demo", retryMs: 0, timeoutMs: 5_000, ...options });
}

function of({ baseUrl }: Emulator, options: Partial<VendorClientOptions> = {}) {
  return at(baseUrl, options);
}

const posts = (emulator: Emulator) => emulator.calls().filter(({ method }) => method === "POST").length;
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  answer(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));

/** A service that answers GETs and POSTs by turns of their own. */
function serveBoth(gets: ((response: ServerResponse) => void)[], writes: ((response: ServerResponse) => void)[]) {
  const [onGet, onPost] = [inTurn(...gets), inTurn(...writes)];
  return serve((request: IncomingMessage, response) => (request.method === "GET" ? onGet : onPost)(request, response));
}

describe("the vendor client", () => {
  it("is there by its older name too", () => {
    expect(VendorService).toBe(VendorClient);
  });

  it.each([
    ["none", []],
    ["only such as it cannot read", [{ id: "401", label: "Gyms", level: "2" }]],
  ])("leaves venue types to a service that lists %s", async (_, listed) => {
    const server = await serveBoth([json(200, listed)], [json(201, { location_id: "L1", ...GYM, status: "DRAFT" })]);
    const created = await at(server.url).createLocation({ location_id: "L1", title: "Gym", venue_type_id: "401" });

    expect(created).not.toMatchObject({ kind: "invalid" });
    expect(server.targets.filter((target) => target.endsWith("/locations"))).toHaveLength(1);
  });

  it.each([
    [301, "https://network.example/vendor/org_demo/locations", "to https://network.example"],
    [308, "https://network.example/vendor/org_demo/locations", "to https://network.example"],
    [307, "/elsewhere/vendor/org_demo/locations", "elsewhere"],
    [302, "javascript:1", "elsewhere"],
  ])("says where the service is that answers a change with %i and %s", async (status, location, where) => {
    const server = await serve(inTurn(answer(status, { location })));

    expect(await at(server.url).createLocation({ location_id: "L1", title: "Gym" })).toEqual({
      ...{ kind: "unavailable", retryAfterMs: null, done: "no" },
      reason: `it redirects ${where} (HTTP ${status}), so baseUrl has to be mended`,
    });
    expect(server.targets).toHaveLength(1);
  });

  it("reads below a base URL with dots in it", async () => {
    const { baseUrl } = await running();

    expect(await at(`${baseUrl}/forks/../`).getScreen("screen_demo")).toMatchObject({ kind: "ok" });
  });

  it("creates, reads and updates a location and its screen", async () => {
    const client = of(await running());

    const location = await client.createLocation({ location_id: "L1", ...GYM });
    const screen = await client.createScreen({ screen_id: "S1", location_id: "L1", ...DOOR });

    expect(location).toMatchObject({ kind: "ok", value: { location_id: "L1", status: "REVIEW", visitors_7: WEEK } });
    expect(screen).toMatchObject({ kind: "ok", value: { screen_id: "S1", width: 1920, amount: null } });
    expect(await client.getLocation("L1")).toEqual(location);
    expect(await client.getScreen("S1")).toEqual(screen);
    expect(await client.updateLocation("L1", { title: "New" })).toMatchObject({ value: { title: "New" } });
    expect(await client.updateScreen("S1", { amount: 2 })).toMatchObject({ value: { amount: 2, title: "Door" } });
  });

  it("reads venue types, approvals and spots, and rejects a creative", async () => {
    const client = of(await running());

    const types = await client.listVenueTypes();
    const rejected = await client.rejectApproval("car_cinema", { rejection_reasons: ["FILTER"] });

    expect(types.kind === "ok" && types.value.length).toBeGreaterThan(100);
    expect(rejected).toMatchObject({ kind: "ok", value: { id: "car_cinema", status: "rejected" } });
    expect(await client.getApproval("car_cinema")).toMatchObject({ value: { rejection_reasons: ["FILTER"] } });
    expect(await client.getSpot("screen_demo", new AbortController().signal)).toMatchObject({ kind: "spot" });
  });

  it("takes the identifier that the service chooses", async () => {
    const created = await of(await running()).createLocation({ title: "Somewhere" });

    expect(created).toMatchObject({
      kind: "ok",
      value: { location_id: expect.stringMatching(/^loc_/), status: "DRAFT" },
    });
  });

  it("answers what is wrong without asking, everything at once", async () => {
    const emulator = await running();
    const bad = { ...DOOR, screen_id: "S1", location_id: "nowhere", width: 0, loop_duration: 1.5 };

    const created = await of(emulator).createScreen(bad);

    expect(created).toMatchObject({ kind: "invalid", status: null });
    expect(created.kind === "invalid" && created.fields.map(({ field }) => field)).toEqual([
      ...["location_id", "width", "loop_duration"],
    ]);
    expect(posts(emulator)).toBe(0);
  });

  it("leaves it to the service when it is not to check", async () => {
    const emulator = await running();

    const created = await of(emulator, { check: false }).createLocation({ title: "A", lat: 91, visitors_7: [1] });

    expect(created).toMatchObject({
      kind: "invalid",
      status: 400,
      fields: [{ field: "lat" }, { field: "visitors_7" }],
    });
    expect(posts(emulator)).toBe(1);
  });

  it("tells a wrong token, a missing object and a taken identifier apart", async () => {
    const emulator = await running();

    expect(await of(emulator, { orgToken: "org_none" }).getScreen("screen_demo")).toEqual({ kind: "unauthorized" });
    expect(await of(emulator).getScreen("none")).toMatchObject({ kind: "notFound" });
    expect(await of(emulator).createLocation({ location_id: "loc_museum", title: "Other" })).toMatchObject({
      kind: "conflict",
    });
  });

  it.each(["", "a/b?c#d", "\u{1f600}\0", "\ud800"])("has the service refuse the token %j", async (orgToken) => {
    const client = of(await running(), { orgToken, check: false });

    expect(await client.getScreen("screen_demo")).toEqual({ kind: "unauthorized" });
    expect(await client.createLocation({ title: "A" })).toEqual({ kind: "unauthorized" });
    expect(await client.getSpot("screen_demo")).toMatchObject({ kind: "denied", status: 401 });
  });

  it.each([400, 409, 422])("takes a %i for done when the location is there as it was sent (B1)", async (status) => {
    const stored = { location_id: "L1", title: "Mine", status: "DRAFT", lat: 52.5 };
    const server = await serveBoth([json(200, stored)], [answer(status, {}, "<html>")]);
    const client = at(server.url);

    expect(await client.createLocation({ location_id: "L1", title: "Mine" })).toMatchObject({
      kind: "ok",
      value: { location_id: "L1", lat: 52.5 },
    });
    expect(await client.createLocation({ location_id: "L1", title: "Mine", lat: 1 })).toMatchObject({
      kind: "conflict",
    });
  });

  it("creates the same location and screen twice, and they are there once", async () => {
    const emulator = await running();
    const client = of(emulator);
    const create = async () => [
      await client.createLocation({ location_id: "L1", ...GYM }),
      await client.createScreen({ screen_id: "S1", location_id: "L1", ...DOOR }),
    ];

    const first = await create();

    expect(first).toMatchObject([{ kind: "ok" }, { kind: "ok" }]);
    expect(await create()).toEqual(first);
  });

  it.each(["", ".", ".."])("never asks for an object called %j, which no path can name (A17)", async (id) => {
    const server = await serve(inTurn(json(200, { location_id: id, title: "A", status: "DRAFT" })));
    const client = at(server.url, { check: false });
    const answers = [
      await client.getLocation(id),
      await client.getScreen(id),
      await client.getApproval(id),
      await client.updateLocation(id, { title: "B" }),
      await client.updateScreen(id, { title: "B" }),
      await client.rejectApproval(id, { rejection_reasons: ["FILTER"] }),
      await at(server.url).createLocation({ location_id: id, title: "A" }),
      await at(server.url).createScreen({ ...DOOR, screen_id: id, location_id: "L1" }),
    ];

    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => "invalid"));
    expect(server.targets.filter((target) => !target.includes("/locations/L1") && !target.includes("venue"))).toEqual(
      [],
    );
  });

  it.each([400, 409, 422])("takes a %i for a conflict when the location is there already (B1)", async (status) => {
    const stored = { location_id: "L1", title: "Other", status: "DRAFT" };
    const server = await serveBoth([json(200, stored)], [answer(status, {}, "<html>")]);

    expect(await at(server.url).createLocation({ location_id: "L1", title: "Mine" })).toEqual({
      kind: "conflict",
      detail: null,
      fields: [],
    });
  });
});

describe("a 409 for another reason", () => {
  it("is no conflict when nothing of that identifier is there: the service's own words are told", async () => {
    const full = { detail: "an organization can have 10000 of these", code: "too_many", status: 409 };
    const server = await serveBoth([json(404, {})], [json(409, full)]);
    const client = at(server.url, { check: false });
    const refused = { kind: "invalid", status: 409, detail: full.detail, fields: [] };

    expect(await client.createLocation({ location_id: "L1", title: "Mine" })).toEqual(refused);
    expect(await client.createLocation({ title: "Mine" })).toEqual(refused);
  });
});

describe("an answer of the other kind", () => {
  it.each([
    ["200 instead of 201", { createStatus: 200 } as const],
    ["refused unknown fields", { unknownFields: "reject" } as const],
  ])("%s changes nothing", async (_, behaviour) => {
    const client = of(await running({ world: { ...demoWorld(), behaviour } }));

    expect(await client.createLocation({ location_id: "L1", ...GYM })).toMatchObject({ kind: "ok" });
    expect(await client.createScreen({ screen_id: "S1", location_id: "L1", ...DOOR })).toMatchObject({ kind: "ok" });
    expect(await client.updateScreen("S1", { title: "B" })).toMatchObject({ kind: "ok" });
  });

  it.each([
    ["no body", answer(204)],
    ["an empty body", answer(201)],
    ["HTML", answer(200, {}, "<html>")],
    ["another shape", json(201, { data: { id: "L1" } })],
    ["half of the object", json(200, { location_id: "L1" })],
  ])("%s after a create or update means that the object is read (A3)", async (_, write) => {
    const stored = { location_id: "L1", title: "A", status: "DRAFT", extra: 1 };
    const server = await serveBoth([json(200, stored)], [write]);
    const client = at(server.url, { check: false });

    expect(await client.createLocation({ location_id: "L1", title: "A" })).toMatchObject({
      kind: "ok",
      value: { title: "A", archived: false, lat: null },
    });
    expect(await client.updateLocation("L1", { title: "A" })).toMatchObject({ kind: "ok" });
  });

  const page = answer(200, { "content-type": "text/html" }, "<!doctype html><h1>Blocked</h1>");

  it.each([
    ["no body", answer(204)],
    ["a page", page],
  ])("%s in the service's place does nothing, and is not believed", async (_, write) => {
    const server = await serveBoth([json(200, { location_id: "L1", title: "B", status: "DRAFT" })], [write]);
    const client = at(server.url, { check: false });

    expect(await client.updateLocation("L1", { title: "A" })).toMatchObject({ kind: "unavailable", done: "unknown" });
    expect(await client.createLocation({ location_id: "L1", title: "A" })).toMatchObject({ kind: "conflict" });
  });

  it("where nothing is there after it was answered, it was not done", async () => {
    const server = await serveBoth([answer(404)], [page]);
    const created = await at(server.url, { check: false }).createLocation({ location_id: "L1", title: "A" });
    expect(created).toMatchObject({ kind: "unavailable", done: "no" });
  });

  it("whether it was done is not known where everything is answered by a page", async () => {
    const server = await serveBoth([page], [page]);
    const client = at(server.url, { check: false });
    for (const answered of [
      await client.createLocation({ location_id: "L1", title: "A" }),
      await client.createLocation({ title: "A" }),
      await client.rejectApproval("c", { rejection_reasons: ["FILTER"] }),
    ]) {
      expect(answered).toMatchObject({ kind: "unavailable", done: "unknown" });
    }
  });

  it("an identifier in the Location header alone is enough", async () => {
    const server = await serveBoth(
      [json(200, { location_id: "loc_7", title: "A", status: "DRAFT" })],
      [answer(201, { location: "/vendor/t/locations/loc_7" })],
    );

    expect(await at(server.url).createLocation({ title: "A" })).toMatchObject({ value: { location_id: "loc_7" } });
  });

  it("a rejection without a body is read back, under the names of a rejection", async () => {
    const stored = { car_id: "c", status: "rejected", item: null, rejection_reasons: ["FILTER"], created_on: "2026" };
    const server = await serveBoth([json(200, stored)], [answer(200)]);

    expect(await at(server.url, { check: false }).rejectApproval("c", { rejection_reasons: ["FILTER"] })).toMatchObject(
      {
        kind: "ok",
        value: { id: "c", status: "rejected", rejection_reasons: ["FILTER"], created_at: "2026" },
      },
    );
  });

  it("reasons that are not known yet are told as they are", async () => {
    const item = { url: "https://media.example/a" };
    const stored = { car_id: "c", status: "rejected", item, rejection_reasons: ["FILTER", "TOO_BRIGHT"] };
    const rejected = { id: "c", status: "rejected", rejection_reasons: ["TOO_BRIGHT"] };
    const server = await serveBoth([json(200, stored)], [json(200, rejected)]);
    const client = at(server.url, { check: false });

    expect(await client.getApproval("c")).toMatchObject({ value: { rejection_reasons: ["FILTER", "TOO_BRIGHT"] } });
    expect(await client.rejectApproval("c", { rejection_reasons: ["FILTER"] })).toMatchObject({
      value: { rejection_reasons: ["TOO_BRIGHT"] },
    });
  });

  it.each([
    [400, "invalid"],
    [401, "unauthorized"],
    [403, "unauthorized"],
    [404, "notFound"],
    [405, "invalid"],
    [413, "invalid"],
    [422, "invalid"],
    [429, "limited"],
    [500, "unavailable"],
    [302, "unavailable"],
  ])("status %i alone says %s, whatever the body (A2)", async (status, kind) => {
    const bodies = ["", "<html>", "{", "[]", '{"detail":5,"errors":"x"}'];
    for (const body of bodies) {
      const server = await serve(inTurn(answer(status, { "retry-after": "7" }, body)));
      expect((await at(server.url).getScreen("s")).kind).toBe(kind);
      expect((await at(server.url, { check: false }).updateScreen("s", {})).kind).toBe(kind);
    }
  });

  it("a status with a body that never ends is a status", async () => {
    const server = await serve((_, response) => void response.writeHead(401).write("x"));

    expect(await at(server.url, { timeoutMs: 200 }).getScreen("s")).toEqual({ kind: "unauthorized" });
  });

  it.each([
    ["seconds", "7", 7_000],
    ["a date", "Wed, 21 Oct 2026 07:28:09 GMT", 9_000],
    ["nothing", null, null],
  ])("a limit says when in %s (A14)", async (_, header, retryAfterMs) => {
    const date = "Wed, 21 Oct 2026 07:28:00 GMT";
    const server = await serve(inTurn(answer(429, { date, ...(header === null ? {} : { "retry-after": header }) })));

    expect(await at(server.url).getScreen("s")).toEqual({ kind: "limited", retryAfterMs });
    expect(server.targets.length).toBe(1);
  });

  it.each([
    ["HTML", answer(200, {}, "<html>")],
    ["a list", json(200, [])],
    ["an unknown status", json(200, { location_id: "L1", title: "A", status: "GONE" })],
    ["nothing", answer(200)],
  ])("%s where a location was asked for is no location", async (_, reply) => {
    const server = await serve(inTurn(reply));

    expect(await at(server.url).getLocation("L1")).toMatchObject({ kind: "unavailable" });
  });
});

describe("a service that falters", () => {
  const screen = { ...DOOR, screen_id: "s", title: "S", location_id: "L" };

  it("is asked again for what is read", async () => {
    const server = await serve(inTurn(answer(500), answer(503), json(200, screen)));

    expect(await at(server.url).getScreen("s")).toMatchObject({ kind: "ok" });
    expect(server.targets.length).toBe(READ_TRIES);
  });

  it("is sent what is written once", async () => {
    const server = await serveBoth([answer(404)], [answer(500)]);

    const created = await at(server.url, { check: false }).createScreen(screen);

    expect(created).toEqual({ kind: "unavailable", reason: "HTTP 500", retryAfterMs: null, done: "no" });
    expect(server.targets.length).toBe(2);
  });

  it("did what it was asked to when the object is there as it was sent", async () => {
    const server = await serveBoth([json(200, screen)], [answer(502)]);
    const client = at(server.url, { check: false });

    expect(await client.createScreen(screen)).toMatchObject({ kind: "ok" });
    expect(await client.updateScreen("s", { title: "S" })).toMatchObject({ kind: "ok" });
  });

  it("has another of that identifier when the object differs", async () => {
    const server = await serveBoth([json(200, { ...screen, width: 5 })], [(response) => void response.destroy()]);

    expect(await at(server.url, { check: false }).createScreen(screen)).toMatchObject({ kind: "conflict" });
  });

  it("leaves it open when it cannot be asked either", async () => {
    const server = await serve((_, response) => void response.destroy());

    expect(await at(server.url, { check: false }).createScreen(screen)).toMatchObject({
      kind: "unavailable",
      done: "unknown",
    });
  });

  it("is not asked at all when nobody listens", async () => {
    expect(await at(await nobody()).createLocation({ title: "A" })).toEqual({
      kind: "unavailable",
      reason: "ECONNREFUSED",
      retryAfterMs: null,
      done: "no",
    });
  });

  it("is given up on after the time allowed, and when called off", async () => {
    const server = await serve(() => undefined);
    const control = new AbortController();
    const called = at(server.url).getScreen("s", control.signal);
    control.abort();

    expect(await called).toMatchObject({ kind: "unavailable", reason: "called off" });
    expect(await at(server.url, { timeoutMs: 50 }).getScreen("s")).toMatchObject({ reason: "timeout" });
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY])("has as long as %d ms says, which no timer takes", async (timeoutMs) => {
    const server = await serve((_, response) => void setTimeout(() => json(200, screen)(response), 50));

    expect(await at(server.url, { timeoutMs }).getScreen("s")).toMatchObject({ kind: "ok" });
  });

  it("did nothing where it was called off before it was asked", async () => {
    const server = await serve(inTurn(json(201, screen)));
    const created = await at(server.url, { check: false }).createScreen(screen, AbortSignal.abort());

    expect(created).toMatchObject({ kind: "unavailable", reason: "called off before it was sent", done: "no" });
    expect(server.targets).toEqual([]);
  });

  it.each([300, 303])("did what it was asked to where it answers %i and the object is there", async (status) => {
    const server = await serveBoth([json(200, screen)], [answer(status, { location: "/somewhere" })]);

    expect(await at(server.url, { check: false }).createScreen(screen)).toMatchObject({ kind: "ok" });
  });

  it("never lets the token into an answer", async () => {
    const server = await serve((_, response) => void response.destroy());
    const answers = [
      await at(server.url, { orgToken: "very-secret" }).getScreen("s"),
      await at("http://very-secret.invalid", { orgToken: "very-secret" }).createLocation({ title: "A" }),
    ];

    expect(JSON.stringify(answers)).not.toContain("very-secret");
  });
});
