import { describe, expect, it } from "vitest";
import { ask, call, json, nextSpot, running, smallWorld } from "./running.ts";

const NEXT = "/control/screens/screen_demo/next";

function post(body: unknown) {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}

describe("the control listener", () => {
  it("is healthy", async () => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/health");

    expect([reply.status, json(reply)]).toEqual([200, { status: "ok" }]);
  });

  it("answers in the service's error shape when there is no such path or method (A1, A15)", async () => {
    const { controlUrl } = await running();

    const path = await ask(controlUrl, "/control/nothing");
    const method = await ask(controlUrl, "/control/journal", { method: "PUT" });

    expect([path.status, json(path).code]).toEqual([404, "not_found"]);
    expect([method.status, method.headers.allow, json(method).code]).toEqual([
      405,
      "GET, DELETE",
      "method_not_allowed",
    ]);
  });

  it.each(["evil.example", "127.0.0.1.evil.example", "10.0.0.1:8789", "localhost.evil.example:80"])(
    "refuses the Host %s, which a page elsewhere could have made up",
    async (host) => {
      const { controlUrl } = await running();

      const reply = await ask(controlUrl, "/control/health", { headers: { host } });

      expect([reply.status, json(reply).code]).toEqual([403, "bad_host"]);
    },
  );

  it.each(["localhost", "localhost:8789", "127.0.0.1:1", "127.9.9.9", "[::1]:8789"])(
    "takes the Host %s",
    async (host) => {
      const { controlUrl } = await running();

      expect((await ask(controlUrl, "/control/health", { headers: { host } })).status).toBe(200);
    },
  );

  it("refuses the pages of other origins and takes its own", async () => {
    const { controlUrl } = await running();
    const reset = (origin: string) => ask(controlUrl, "/control/reset", { method: "POST", headers: { origin } });

    const [other, own] = [await reset("http://127.0.0.1:1"), await reset(controlUrl)];

    expect([other.status, own.status]).toEqual([403, 200]);
  });

  it("describes the service at /openapi.json", async () => {
    const { controlUrl } = await running();

    const { openapi, paths } = json(await ask(controlUrl, "/openapi.json"));

    expect(openapi).toBe("3.1.0");
    const spot = paths["/v3/vendor/{org_token}/1/rt_ad/{screen_id}"].get;
    const { data } = spot.responses["200"].content["application/json"].schema.properties;
    expect(data.required).toEqual(["requestId", "billable", "newsFirst", "news", "ad"]);
  });
});

describe("the spots that come next", () => {
  it("are exactly those, in order, and then the rotation's again", async () => {
    const emulator = await running();

    const reply = await ask(
      emulator.controlUrl,
      NEXT,
      post({
        spots: [
          { newsFirst: false, billable: false, news: "news-sport", ad: "ad-cinema" },
          { news: null, ad: "ad-bakery" },
          { news: "news-culture", ad: null },
          { news: null, ad: null },
        ],
      }),
    );
    const spots = [];
    for (let turn = 0; turn < 5; turn += 1) spots.push(await nextSpot(emulator));

    expect([reply.status, json(reply)]).toEqual([200, { waiting: 4 }]);
    expect(spots).toMatchObject([
      { newsFirst: false, billable: false, news: { id: "news-sport" }, ad: { id: "ad-cinema" } },
      { billable: true, news: null, ad: { id: "ad-bakery" } },
      { billable: false, news: { id: "news-culture", newsType: "culture" }, ad: null },
      { billable: false, news: null, ad: null },
      { news: { id: "news-culture" }, ad: { id: "ad-bakery" } },
    ]);
  });

  it("can be content items written out in full, a relative url being on the media listener", async () => {
    const emulator = await running();
    const item = { title: "T", mimeType: "video/mp4", width: 1280, height: 720, duration: 1500 };
    const spots = [
      {
        newsFirst: true,
        news: { ...item, id: "n1", url: "creatives/news-transit.mp4", newsType: "sport" },
        ad: { ...item, id: "a1", url: "http://127.0.0.1:9/x%2Fy?z" },
      },
    ];

    await ask(emulator.controlUrl, NEXT, post({ spots }));
    const { news, ad } = await nextSpot(emulator);

    expect(news).toEqual({
      ...item,
      id: "n1",
      url: `${emulator.mediaUrl}/creatives/news-transit.mp4`,
      newsType: "sport",
      pop: expect.stringContaining("/pop/"),
    });
    expect(ad).toEqual({ ...item, id: "a1", url: "http://127.0.0.1:9/x%2Fy?z", pop: expect.stringContaining("/pop/") });
  });

  it("F16, F18 can be malformed, or carry what the contract does not name", async () => {
    const emulator = await running();
    const item = { id: "a", title: "T", mimeType: "x/y", width: 0, height: -1, duration: -5, url: "ftp://x", md5: 7 };

    await ask(emulator.controlUrl, NEXT, post({ spots: [{ ad: item }] }));

    expect((await nextSpot(emulator)).ad).toMatchObject(item);
  });

  it("come even to a screen that would get nothing", async () => {
    const emulator = await running({ world: smallWorld({ status: "DRAFT" }) });
    emulator.next("screen_a", [{ news: null, ad: "ad-coffee" }]);

    expect(await nextSpot(emulator, "org_a", "screen_a")).toMatchObject({ billable: true, ad: { id: "ad-coffee" } });
  });

  it.each([
    ["an unknown creative", { spots: [{ ad: "ad-coffee" }, { ad: "ad-nothing" }] }, 422, "spots[1].ad"],
    ["an item without a url", { spots: [{ ad: { id: "x" } }] }, 400, "spots[0].ad"],
    ["a key that is not there", { spots: [{ adverts: null }] }, 400, "spots[0]"],
    ["no spots", {}, 400, "spots"],
    ["something that is not JSON", "{", 400, undefined],
  ])("are refused as a whole with %s", async (_, body, status, field) => {
    const emulator = await running();

    const reply = await ask(emulator.controlUrl, NEXT, post(body));

    expect(reply.status).toBe(status);
    expect(json(reply).errors?.[0]?.field).toBe(field);
    expect((await nextSpot(emulator)).ad.id).toBe("ad-coffee");
  });

  it("A20 are refused with 413 beyond 1 MiB", async () => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, NEXT, post(" ".repeat(1024 * 1024 + 1)));

    expect(reply.status).toBe(413);
  });

  it("may be sent in chunks", async () => {
    const { controlUrl } = await running();
    const headers = { "transfer-encoding": "chunked" };

    const reply = await ask(controlUrl, NEXT, { method: "POST", headers, body: { spots: [{ ad: null }] } });

    expect(reply.status).toBe(200);
  });

  it("need a screen that is there, and there once", async () => {
    const [first, second] = smallWorld().organizations;
    if (first === undefined || second === undefined) throw new Error("two organizations");
    const twin = { ...first, org_token: second.org_token };
    const { controlUrl } = await running({ world: { ...smallWorld(), organizations: [first, twin] } });

    const unknown = await ask(controlUrl, "/control/screens/screen_z/next", post({ spots: [] }));
    const ambiguous = await ask(controlUrl, "/control/screens/screen_a/next", post({ spots: [] }));

    expect([unknown.status, ambiguous.status]).toEqual([404, 409]);
  });
});

describe("the ledger", () => {
  it("lists spots oldest first, of all screens or of one", async () => {
    const emulator = await running();
    const one = await nextSpot(emulator);
    emulator.clock.advance(6000);
    await call(emulator, one.news.pop);
    await nextSpot(emulator, "org_demo", "screen_kiosk");

    const all = json(await ask(emulator.controlUrl, "/control/spots"));
    const some = json(await ask(emulator.controlUrl, "/control/spots?screen_id=screen_demo"));

    expect(all.map((spot: { screen_id: string }) => spot.screen_id)).toEqual(["screen_demo", "screen_kiosk"]);
    expect(some).toEqual([
      {
        requestId: one.requestId,
        screen_id: "screen_demo",
        issued_at: "2026-03-02T08:00:00.000Z",
        newsFirst: true,
        billable: true,
        news: {
          id: "news-transit",
          url: one.news.url,
          media: [],
          pops: [{ at: "2026-03-02T08:00:06.000Z", status: 200, verdict: "counted" }],
        },
        ad: { id: "ad-coffee", url: one.ad.url, media: [], pops: [] },
        state: "open",
      },
    ]);
  });
});

describe("the clock over HTTP", () => {
  it("is read, set and advanced", async () => {
    const { controlUrl } = await running();
    const put = (body: unknown) => ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    const read = json(await ask(controlUrl, "/control/clock"));
    const set = json(await put({ mode: "frozen", now: "2026-07-01T12:00:00+02:00", speed: 2 }));
    const advanced = json(await ask(controlUrl, "/control/clock/advance", post({ ms: 3_600_000 })));

    expect(read).toEqual({ mode: "frozen", now: "2026-03-02T08:00:00.000Z", speed: 1 });
    expect(set).toEqual({ mode: "frozen", now: "2026-07-01T10:00:00.000Z", speed: 2 });
    expect(advanced).toEqual({ mode: "frozen", now: "2026-07-01T11:00:00.000Z", speed: 2 });
  });

  it("is left as it is in what is not sent", async () => {
    const { controlUrl } = await running();
    const put = (body: unknown) => ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    const faster = json(await put({ speed: 60 }));
    const later = json(await put({ now: "2026-03-02T09:00:00Z" }));

    expect(faster).toEqual({ mode: "frozen", now: "2026-03-02T08:00:00.000Z", speed: 60 });
    expect(later).toEqual({ mode: "frozen", now: "2026-03-02T09:00:00.000Z", speed: 60 });
  });

  it.each([
    [{ mode: "fast" }, "mode"],
    [{ mode: "real", now: "yesterday" }, "now"],
    [{ mode: "real", speed: 0 }, "speed"],
  ])("refuses %j with 400", async (body, field) => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/clock", { ...post(body), method: "PUT" });

    expect([reply.status, json(reply).errors[0].field]).toEqual([400, field]);
  });

  it("does not go back by being advanced", async () => {
    const { controlUrl } = await running();

    expect((await ask(controlUrl, "/control/clock/advance", post({ ms: -1 }))).status).toBe(400);
  });
});

describe("the journal", () => {
  it("has every call on every listener, with both times, and says what a refused one fell short of", async () => {
    const emulator = await running();
    await nextSpot(emulator);
    await ask(emulator.baseUrl, "/v3/vendor/nobody/1/rt_ad/screen_demo?a=1");

    const calls = json(await ask(emulator.controlUrl, "/control/journal"));

    expect(calls).toMatchObject([
      {
        id: 1,
        at: "2026-03-02T08:00:00.000Z",
        listener: "service",
        method: "GET",
        path: "/v3/vendor/org_demo/1/rt_ad/screen_demo",
        route: "spot",
        screen_id: "screen_demo",
        status: 200,
        warnings: [],
        events: [],
        fault: null,
        near_miss: null,
      },
      {
        id: 2,
        path: "/v3/vendor/nobody/1/rt_ad/screen_demo?a=1",
        status: 401,
        near_miss: "the organization token is missing or not valid",
      },
    ]);
    expect(calls[0]).toMatchObject({ real_at: expect.stringMatching(/Z$/), ms: expect.any(Number) });
  });

  it.each([
    ["route=spot", [1, 2]],
    ["route=pop", [3]],
    ["screen_id=screen_kiosk", [2]],
    ["status=404", [4]],
    ["since=3", [4]],
    ["since=2026-03-02T08:00:06Z", [3, 4]],
    ["limit=2", [3, 4]],
    ["route=spot&limit=1", [2]],
  ])("is filtered by %s", async (query, ids) => {
    const emulator = await running();
    const { news } = await nextSpot(emulator);
    await nextSpot(emulator, "org_demo", "screen_kiosk");
    emulator.clock.advance(6000);
    await call(emulator, news.pop);
    await ask(emulator.mediaUrl, "/creatives/nothing");

    const calls = json(await ask(emulator.controlUrl, `/control/journal?${query}`));

    expect(calls.map((one: { id: number }) => one.id)).toEqual(ids);
  });

  it("refuses a filter that it does not know", async () => {
    const { controlUrl } = await running();

    const reply = await ask(controlUrl, "/control/journal?rout=spot");

    expect([reply.status, json(reply).detail]).toEqual([400, 'the query: Unrecognized key: "rout"']);
  });

  it("is emptied by DELETE", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    const reply = await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });

    expect(json(reply)).toEqual({ deleted: 1 });
    expect(emulator.calls().map(({ path }) => path)).toEqual(["/control/journal"]);
  });
});

describe("a reset", () => {
  it("brings back the world, the time and the seed that the emulator started with", async () => {
    const emulator = await running();
    const before = await nextSpot(emulator);
    emulator.clock.advance(1000);
    emulator.next("screen_demo", [{ ad: null }]);

    const reply = await ask(emulator.controlUrl, "/control/reset", { method: "POST" });
    const clock = json(await ask(emulator.controlUrl, "/control/clock"));

    expect(reply.status).toBe(200);
    expect(clock.now).toBe("2026-03-02T08:00:00.000Z");
    expect(emulator.spots()).toEqual([]);
    expect(await nextSpot(emulator)).toEqual(before);
  });
});
