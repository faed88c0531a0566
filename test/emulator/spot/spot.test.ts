import { describe, expect, it } from "vitest";
import { contentItemSchema, newsItemSchema } from "../../../src/wire/spot.ts";
import { ask, json, MONDAY_8, nextSpot, running, smallWorld } from "../running.ts";

const PATH = "/v3/vendor/org_demo/1/rt_ad/screen_demo";
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("the spot endpoint", () => {
  it("answers with one spot as the contract writes it", async () => {
    const { baseUrl, mediaUrl } = await running();

    const reply = await ask(baseUrl, PATH);

    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(json(reply)).toEqual({
      data: {
        requestId: expect.stringMatching(UUID_4),
        billable: true,
        newsFirst: true,
        news: {
          id: "news-transit",
          title: "Next departures from Harbour Hall",
          mimeType: "video/mp4",
          height: 720,
          width: 1280,
          duration: 6000,
          url: `${mediaUrl}/creatives/news-transit.mp4`,
          pop: expect.stringMatching(`^${mediaUrl}/pop/`),
          newsType: "transit",
        },
        ad: {
          id: "ad-coffee",
          title: "Kettle & Crane: the second cup is on us",
          mimeType: "video/mp4",
          height: 720,
          width: 1280,
          duration: 5000,
          url: `${mediaUrl}/creatives/ad-coffee.mp4`,
          pop: expect.stringMatching(`^${mediaUrl}/pop/`),
        },
      },
    });
  });

  it("A4 answers 401 and not the router's 404 when the token is missing", async () => {
    const { baseUrl } = await running();

    const reply = await ask(baseUrl, "/v3/vendor//1/rt_ad/screen_demo");

    expect(reply.status).toBe(401);
    expect(json(reply)).toEqual({
      detail: "the organization token is missing or not valid",
      code: "unauthorized",
      status: 401,
      title: "Unauthorized",
    });
  });

  it("A5 answers 401 for a token that nobody has", async () => {
    const { baseUrl } = await running();

    expect((await ask(baseUrl, "/v3/vendor/org_other/1/rt_ad/screen_demo")).status).toBe(401);
  });

  it("A6, F2 answers 404 for a screen that is unknown or another organization's", async () => {
    const { baseUrl } = await running({ world: smallWorld() });

    const unknown = await ask(baseUrl, "/v3/vendor/org_a/1/rt_ad/screen_z");
    const foreign = await ask(baseUrl, "/v3/vendor/org_b/1/rt_ad/screen_a");

    expect([unknown.status, foreign.status]).toEqual([404, 404]);
    expect(json(foreign)).toMatchObject({ code: "unknown_screen", status: 404, title: "Not Found" });
  });

  it("A14 answers 429 with whole seconds in Retry-After once a rate limit is used up, before it looks at anything", async () => {
    const emulator = await running({
      world: { ...smallWorld(), rateLimits: [{ per: "token", calls: 2, seconds: 60 }] },
    });
    const spot = "/v3/vendor/org_a/1/rt_ad/screen_a";
    await ask(emulator.baseUrl, spot);
    emulator.clock.advance(20_500);
    await ask(emulator.baseUrl, spot);

    const refused = await ask(emulator.baseUrl, spot);
    const other = await ask(emulator.baseUrl, "/v3/vendor/org_nobody/1/rt_ad/screen_a");
    emulator.clock.advance(39_500);
    const later = await ask(emulator.baseUrl, spot);

    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "40"]);
    expect(json(refused)).toMatchObject({ status: 429, title: "Too Many Requests" });
    expect(emulator.spots()).toHaveLength(3);
    expect(other.status).toBe(401);
    expect(later.status).toBe(200);
  });

  it.each(["/", "/vendor/org_demo/nothing", `${PATH}/`, `${PATH}/more`, "/pop/x", "/control/health"])(
    "A15 answers 404 for the unknown path %s",
    async (path) => {
      const { baseUrl } = await running();

      const reply = await ask(baseUrl, path);

      expect(reply.status).toBe(404);
      expect(json(reply)).toMatchObject({ code: "not_found", status: 404, title: "Not Found" });
    },
  );

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("A15 answers 405 with Allow to %s", async (method) => {
    const { baseUrl } = await running();

    const reply = await ask(baseUrl, PATH, { method });

    expect([reply.status, reply.headers.allow]).toEqual([405, "GET"]);
    expect(json(reply)).toMatchObject({ code: "method_not_allowed", status: 405, title: "Method Not Allowed" });
  });

  it("A15 does not use up a spot for a HEAD", async () => {
    const emulator = await running();

    expect((await ask(emulator.baseUrl, PATH, { method: "HEAD" })).status).toBe(405);
    expect(emulator.spots()).toEqual([]);
  });

  it.each([
    "/v2/vendor/org_demo/1/rt_ad/screen_demo",
    "/v3/vendor/org_demo/2/rt_ad/screen_demo",
    "/vendor/org_demo/1/rt_ad/screen_demo",
  ])("A21 answers 404 for the other version %s", async (path) => {
    const { baseUrl } = await running();

    expect((await ask(baseUrl, path)).status).toBe(404);
  });

  it("A19 forbids keeping a spot, and dates it by the virtual clock", async () => {
    const { baseUrl } = await running();

    const { headers } = await ask(baseUrl, PATH);

    expect(headers["cache-control"]).toBe("no-store");
    expect(headers.date).toBe("Mon, 02 Mar 2026 08:00:00 GMT");
  });

  it("F1 has every key and is not billable when there is nothing to show", async () => {
    const world = { ...smallWorld(), news: [] };
    const { campaigns, ...organization } = world.organizations[0] ?? { org_token: "" };
    expect(campaigns).toHaveLength(1);
    const emulator = await running({ world: { ...world, organizations: [organization] } });

    expect(await nextSpot(emulator, "org_a", "screen_a")).toEqual({
      requestId: expect.stringMatching(UUID_4),
      billable: false,
      newsFirst: true,
      news: null,
      ad: null,
    });
  });

  it.each([
    ["the screen is archived", smallWorld({}, { archived: true })],
    ["the location is archived", smallWorld({ archived: true })],
    ["the location is in REVIEW", smallWorld({ status: "REVIEW" })],
    ["the location is a DRAFT", smallWorld({ status: "DRAFT" })],
  ])("F3 has neither news nor ad while %s", async (_, world) => {
    const emulator = await running({ world });

    expect(await nextSpot(emulator, "org_a", "screen_a")).toMatchObject({ billable: false, news: null, ad: null });
  });

  it.each([
    ["screen", smallWorld({}, { available_for_ads: false })],
    ["location", smallWorld({ available_for_ads: false })],
  ])("F4 has news only while the %s is not available for ads", async (_, world) => {
    const emulator = await running({ world });

    const spot = await nextSpot(emulator, "org_a", "screen_a");

    expect(spot).toMatchObject({ billable: false, ad: null, news: { id: "news-weather" } });
  });

  it("F5, B16 has news only outside the opening hours, which are the location's local ones", async () => {
    const opensAtNine = Array.from({ length: 168 }, (_, hour) => hour % 24 >= 9);
    const emulator = await running({ world: smallWorld({ opening_168: opensAtNine, timezone: "Europe/Berlin" }) });

    const open = await nextSpot(emulator, "org_a", "screen_a");
    emulator.clock.set({ mode: "frozen", now: MONDAY_8 - 1 });
    const closed = await nextSpot(emulator, "org_a", "screen_a");

    expect(open.ad).not.toBeNull();
    expect(closed).toMatchObject({ billable: false, ad: null, news: { id: "news-weather" } });
  });

  it("F6 is not billable with an ad that nobody pays for", async () => {
    const world = smallWorld();
    const campaigns = [{ campaign_id: "cmp_a", car_id: "car_a", paid: false }];
    const organizations = world.organizations.map((organization) =>
      organization.org_token === "org_a" ? { ...organization, campaigns } : organization,
    );
    const emulator = await running({ world: { ...world, organizations } });

    const spot = await nextSpot(emulator, "org_a", "screen_a");

    expect(spot).toMatchObject({ billable: false, ad: { id: "ad-coffee" } });
  });

  it("E9 serves no creative whose CAR is pending or rejected", async () => {
    const emulator = await running();
    const shown = new Set<string>();

    for (let turn = 0; turn < 30; turn += 1) shown.add((await nextSpot(emulator)).ad.id);

    expect([...shown]).toEqual(["ad-coffee", "ad-cycling", "ad-sneakers", "ad-festival", "ad-bakery"]);
  });

  it("F13, F14 gives every request a new spot, with ids and pops of its own and the creatives' same ids and URLs", async () => {
    const emulator = await running({ world: smallWorld() });

    const one = await nextSpot(emulator, "org_a", "screen_a");
    const two = await nextSpot(emulator, "org_a", "screen_a");

    expect([two.news.id, two.news.url]).toEqual([one.news.id, one.news.url]);
    expect(two.requestId).not.toBe(one.requestId);
    expect(new Set([one.news.pop, one.ad.pop, two.news.pop, two.ad.pop]).size).toBe(4);
  });

  it("serves only items that its own schema and its own media listener know", async () => {
    const emulator = await running();

    for (let turn = 0; turn < 5; turn += 1) {
      const { news, ad } = await nextSpot(emulator);
      expect(newsItemSchema.parse(news)).toEqual(news);
      expect(contentItemSchema.parse(ad)).toEqual(ad);
      const replies = await Promise.all([news.url, ad.url].map((url) => fetch(url, { method: "HEAD" })));
      expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
      expect(replies[0]?.headers.get("content-type")).toMatch(news.mimeType);
    }
  });
});

describe("the rotation", () => {
  it("goes round news and ads in the order of the world, news first in every other spot", async () => {
    const emulator = await running();
    const orders: string[] = [];

    for (let turn = 0; turn < 4; turn += 1) {
      const { newsFirst, news, ad } = await nextSpot(emulator);
      orders.push(newsFirst ? `${news.id} ${ad.id}` : `${ad.id} ${news.id}`);
    }

    expect(orders).toEqual([
      "news-transit ad-coffee",
      "ad-cycling news-weather",
      "news-headlines ad-sneakers",
      "ad-festival news-sport",
    ]);
  });

  it("goes round for each screen on its own", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    expect((await nextSpot(emulator, "org_demo", "screen_kiosk")).news.id).toBe("news-transit");
  });

  it("gives the same answers to the byte for the same seed and calls, once the ports are taken out", async () => {
    const answers = async (seed: number) => {
      const emulator = await running({ seed });
      const replies = [await ask(emulator.baseUrl, PATH), await ask(emulator.baseUrl, PATH)];
      return replies.map(({ body }) => body.toString().replaceAll(emulator.mediaUrl, "media"));
    };

    expect(await answers(7)).toEqual(await answers(7));
    expect(await answers(7)).not.toEqual(await answers(8));
  });
});
