// The life of a location, a screen, two CARs and a spot, told by clients whose types are drawn from the emulator's own
// documents. Nothing of ours is imported: run beside service.json and the two files of types.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths as Control } from "./control.d.ts";
import { heldTo } from "./held.ts";
import type { paths as Service } from "./service.d.ts";

const { SPOTLOOP_BASE_URL = "", SPOTLOOP_CONTROL_URL = "", SPOTLOOP_ORG_TOKEN: org_token = "" } = process.env;
const held = heldTo(JSON.parse(readFileSync(new URL("service.json", import.meta.url), "utf8")));
const service = createClient<Service>({ baseUrl: SPOTLOOP_BASE_URL });
service.use(held.middleware);
const control = createClient<Control>({ baseUrl: SPOTLOOP_CONTROL_URL });

const [location_id, screen_id] = ["loc_second", "screen_second"];
const ofLocation = { path: { org_token, location_id } };
const ofScreen = { path: { org_token, screen_id } };

const venues = await service.GET("/vendor/{org_token}/venue_types", { params: { path: { org_token } } });
const venue = venues.data?.find(({ level, selectable }) => level === 2 && selectable);
const inner = venues.data?.find(({ parent_id }) => parent_id === venue?.id);
assert(venue !== undefined && inner !== undefined);

await locationIsReviewed(venue.id);
await screenIsCreated(inner.id);
await creativesAreDecidedAbout();
await spotIsProved();
await locationMoves();
await strangersAreRefused();
same(held.notCalled(), []);
console.log("told");

/** What was expected is typed by what was found: a value that the document does not know does not compile. */
function same<T>(found: T, wanted: NoInfer<T>): void {
  assert.deepEqual(found, wanted);
}

async function locationIsReviewed(venue_type_id: string): Promise<void> {
  const created = await service.POST("/vendor/{org_token}/locations", {
    params: { path: { org_token } },
    body: { location_id, title: "Pool" },
  });
  same(created.response.status, 201);
  same(created.data?.status, "DRAFT");
  const taken = await service.POST("/vendor/{org_token}/locations", {
    params: { path: { org_token } },
    body: { location_id, title: "Another" },
  });
  same(taken.response.status, 409);

  const opening_168 = Array.from({ length: 168 }, () => true);
  const visitors_7 = [10, 20, 30, 40, 50, 60, 70];
  const completed = await service.POST("/vendor/{org_token}/locations/{location_id}", {
    params: ofLocation,
    body: { venue_type_id, lat: 53.55, long: 9.99, opening_168, visitors_7 },
  });
  same(completed.data?.status, "REVIEW");
  same([completed.data?.timezone, completed.data?.country], ["Europe/Berlin", "DEU"]);
  const forced = await service.POST("/vendor/{org_token}/locations/{location_id}", {
    params: ofLocation,
    body: { available_for_ads: true },
  });
  same(forced.response.ok, false);
  same(forced.error?.errors?.[0]?.field, "available_for_ads");

  await control.POST("/control/locations/{id}/approve", { params: { path: { id: location_id } } });
  const approved = await service.GET("/vendor/{org_token}/locations/{location_id}", { params: ofLocation });
  same([approved.data?.status, approved.data?.available_for_ads], ["APPROVED", true]);
}

async function screenIsCreated(venue_type_id: string): Promise<void> {
  const screen = { screen_id, title: "Wall", venue_type_id, location_id, width: 1920, height: 1080, loop_duration: 60 };
  const created = await service.POST("/vendor/{org_token}/screens", { params: { path: { org_token } }, body: screen });
  same(created.response.status, 201);
  const updated = await service.POST("/vendor/{org_token}/screens/{screen_id}", {
    params: ofScreen,
    body: { title: "Wall by the pool", amount: 1 },
  });
  same(updated.data?.title, "Wall by the pool");
  const read = await service.GET("/vendor/{org_token}/screens/{screen_id}", { params: ofScreen });
  same(read.data, updated.data);
  same(read.data?.available_for_ads, true);
}

async function creativesAreDecidedAbout(): Promise<void> {
  const submit = async (): Promise<string> => {
    const submitted = await control.POST("/control/cars", { body: { org_token, advertiser_name: "Second" } });
    return String(submitted.data?.car_id);
  };
  const read = (car_id: string) =>
    service.GET("/vendor/{org_token}/cars/{car_id}", { params: { path: { org_token, car_id } } });
  const reject = (car_id: string, custom_message: string) =>
    service.POST("/vendor/{org_token}/cars/{car_id}/reject", {
      params: { path: { org_token, car_id } },
      body: { rejection_reasons: ["FILTER", "CUSTOM"], custom_message },
    });

  const [refused, taken] = [await submit(), await submit()];
  same([(await read(refused)).data?.status, (await read(refused)).data?.rejection_reasons], ["pending", null]);
  same((await reject(refused, "")).response.status, 422);
  const rejected = await reject(refused, "The name is missing.");
  same([rejected.data?.id, rejected.data?.status], [refused, "rejected"]);
  same((await read(refused)).data?.custom_message, "The name is missing.");
  same((await reject(refused, "Again.")).response.status, 400);

  await control.POST("/control/cars/{id}/approve", { params: { path: { id: taken } } });
  same((await read(taken)).data?.status, "approved");
}

async function spotIsProved(): Promise<void> {
  const asked = await service.GET("/v3/vendor/{org_token}/1/rt_ad/{screen_id}", { params: ofScreen });
  const spot = asked.data?.data;
  assert(spot?.news != null && spot.ad != null);
  const items = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
  for (const { url, duration, pop, mimeType } of items) {
    const media = await fetch(url);
    same(media.headers.get("content-type")?.split(";")[0], mimeType);
    await media.arrayBuffer();
    await control.POST("/control/clock/advance", { body: { ms: Math.ceil(duration) } });
    same((await fetch(pop)).status, 200);
  }
  const ledger = await control.GET("/control/spots", { params: { query: { screen_id } } });
  same(JSON.stringify(ledger.data).match(/"counted"/g)?.length, 2);
  same((await control.GET("/control/audit")).data, []);
}

async function locationMoves(): Promise<void> {
  const moved = await service.POST("/vendor/{org_token}/locations/{location_id}", {
    params: ofLocation,
    body: { lat: 54.32, long: 10.13 },
  });
  same(moved.data?.status, "REVIEW");
  const asked = await service.GET("/v3/vendor/{org_token}/1/rt_ad/{screen_id}", { params: ofScreen });
  same([asked.data?.data.news, asked.data?.data.ad], [null, null]);
  const archived = await service.POST("/vendor/{org_token}/screens/{screen_id}", {
    params: ofScreen,
    body: { archived: true },
  });
  same(archived.data?.archived, true);
}

async function strangersAreRefused(): Promise<void> {
  const path = { org_token: "org_unknown", screen_id };
  const stranger = await service.GET("/vendor/{org_token}/screens/{screen_id}", { params: { path } });
  same([stranger.response.status, stranger.error?.status], [401, 401]);
  const nothing = { path: { org_token, screen_id: "screen_unknown" } };
  const unknown = await service.GET("/v3/vendor/{org_token}/1/rt_ad/{screen_id}", { params: nothing });
  same([unknown.response.status, unknown.error?.status], [404, 404]);
}
