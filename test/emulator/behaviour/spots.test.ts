import { describe, expect, it } from "vitest";
import { ask, call, json, pathIn } from "../running.ts";
import { COMPLETE, vendor, venueWorld } from "./venue.ts";

const ITEM = { id: "x", title: "X", mimeType: "video/mp4", width: 1280, height: 720, duration: 5000 };
const FILE = "creatives/ad-coffee.mp4";

describe("a spot", () => {
  it("F5 has no ad outside the opening hours, unless the switch openingHours says to ignore them", async () => {
    const { control, post, spot } = await vendor();
    await post("/locations/loc_approved", { opening_168: Array(168).fill(false) });

    const respected = await spot();
    await control("PATCH", "/behaviour", { openingHours: "ignore" });
    const ignored = await spot();

    expect(respected).toMatchObject({ billable: false, ad: null, news: { id: "news-weather" } });
    expect(ignored).toMatchObject({ billable: true, ad: { id: "ad-coffee" } });
  });

  it("F7 is dated by the virtual clock, from which its hour counts", async () => {
    const { emulator, spot } = await vendor();
    const { ad } = await spot();
    emulator.clock.advance(3_600_000);
    const last = await call(emulator, ad.pop);
    const { ad: next } = await spot();
    emulator.clock.advance(3_600_001);

    expect([last.status, (await call(emulator, next.pop)).status]).toEqual([200, 410]);
  });

  it("F11 has pop URLs that are absolute and on another origin than the service's", async () => {
    const { emulator, spot } = await vendor();
    const { news, ad } = await spot();

    expect([news.pop, ad.pop].map((pop) => new URL(pop).origin)).toEqual([emulator.mediaUrl, emulator.mediaUrl]);
    expect(emulator.mediaUrl).not.toBe(emulator.baseUrl);
  });

  it("F12 takes an early proof and flags it, unless the switch earlyPop says to refuse it", async () => {
    const { control, emulator, spot } = await vendor();
    const taken = await call(emulator, (await spot()).ad.pop);
    await control("PATCH", "/behaviour", { earlyPop: "refuse" });
    const { ad } = await spot();

    const refused = await call(emulator, ad.pop);
    emulator.clock.advance(60_000);
    const later = await call(emulator, ad.pop);

    expect([taken.status, refused.status, later.status]).toEqual([200, 400, 200]);
    expect(json(refused).code).toBe("pop_early");
    expect(emulator.spots().map((one) => one.ad?.pops.map(({ verdict, status }) => `${verdict} ${status}`))).toEqual([
      ["early 200"],
      ["early 400", "counted 200"],
    ]);
  });

  it("F13 lapses when it is not played", async () => {
    const { emulator, spot } = await vendor();
    await spot();
    await spot();
    emulator.clock.advance(3_600_001);

    expect(emulator.spots().map(({ state }) => state)).toEqual(["lapsed", "lapsed"]);
  });

  it("F15 has media that are still there an hour later", async () => {
    const { emulator, spot } = await vendor();
    const { ad } = await spot();
    emulator.clock.advance(2 * 3_600_000);

    expect((await call(emulator, ad.url, { method: "HEAD" })).status).toBe(200);
  });

  it("F16 has no md5 and no size unless it was planned with them", async () => {
    const { emulator, spot } = await vendor();
    const plain = (await spot()).ad;
    emulator.next("screen_a", [{ ad: { ...ITEM, url: FILE, md5: "0".repeat(32), size: 7 } }]);

    expect([plain.md5, plain.size]).toEqual([undefined, undefined]);
    expect((await spot()).ad).toMatchObject({ md5: "0".repeat(32), size: 7 });
  });

  it("F17 has the duration that the world gives it, whatever the media's own length", async () => {
    const campaigns = [{ campaign_id: "cmp_a", car_id: "car_approved", duration: 1234 }];
    const [first, ...others] = venueWorld().organizations;
    if (first === undefined) throw new Error("a world without an organization");
    const { spot } = await vendor({ world: venueWorld({ organizations: [{ ...first, campaigns }, ...others] }) });

    expect((await spot()).ad.duration).toBe(1234);
  });

  it.each([
    { duration: 0 },
    { duration: -1 },
    { duration: 3_600_000 },
    { url: "ftp://media.example/x" },
    { mimeType: "application/x-unknown" },
  ])("F18 can be planned with an item that cannot be played, %j", async (fault) => {
    const { emulator, spot } = await vendor();
    emulator.next("screen_a", [{ ad: { ...ITEM, url: FILE, ...fault } }]);

    expect((await spot()).ad).toMatchObject(fault);
  });

  it("F19 has its mimeType as it was written, parameters and upper case included", async () => {
    const { emulator, spot } = await vendor();
    emulator.next("screen_a", [{ ad: { ...ITEM, url: FILE, mimeType: 'Video/MP4; codecs="avc1"' } }]);

    expect((await spot()).ad.mimeType).toBe('Video/MP4; codecs="avc1"');
  });

  it("F20 has the same items on a screen of any shape", async () => {
    const { post, spot } = await vendor();
    const before = (await spot()).ad;
    await post("/screens/screen_a", { width: 1080, height: 1920 });

    expect((await spot()).ad).toMatchObject({ url: before.url, width: before.width, height: before.height });
  });

  it("F21 has media and pop URLs that answer without a redirect", async () => {
    const { emulator, spot } = await vendor();
    const { news, ad } = await spot();
    emulator.clock.advance(60_000);

    const media = [news.url, ad.url].map(async (url) => (await ask(emulator.mediaUrl, pathIn(url))).status);
    const pops = [news.pop, ad.pop].map(async (url) => (await ask(emulator.mediaUrl, pathIn(url))).status);

    expect(await Promise.all([...media, ...pops])).toEqual([200, 200, 200, 200]);
  });

  it("serves a location that was never in the world, once it is approved", async () => {
    const { control, emulator, post } = await vendor();
    await post("/locations", { location_id: "loc_1", title: "One", ...COMPLETE });
    await post("/screens", { ...screenAt("loc_1"), screen_id: "s_1" });
    const path = "/v3/vendor/org_a/1/rt_ad/s_1";
    const before = json(await ask(emulator.baseUrl, path)).data;
    await control("POST", "/locations/loc_1/approve");

    expect([before.news, before.ad]).toEqual([null, null]);
    expect(json(await ask(emulator.baseUrl, path)).data).toMatchObject({ billable: true, ad: { id: "ad-coffee" } });
  });
});

function screenAt(location_id: string) {
  return { title: "S", venue_type_id: "80701", location_id, width: 1, height: 1, loop_duration: 1 };
}
