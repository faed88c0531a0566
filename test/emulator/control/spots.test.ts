import { describe, expect, it } from "vitest";
import { ask, call, json, nextSpot, running, smallWorld } from "../running.ts";

const NEXT = "/control/screens/screen_demo/next";

function post(body: unknown) {
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}

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
  it("tells of proofs that a fault kept from the network, with what was answered", async () => {
    const emulator = await running();
    const { news } = await nextSpot(emulator);
    emulator.clock.advance(6000);
    emulator.setFaults([
      { name: "down", match: { route: "pop" }, times: 1, do: { status: 503 } },
      { name: "gone", match: { route: "pop" }, times: 1, do: { reset: true } },
      { name: "late", match: { route: "pop" }, do: { latencyMs: 0 } },
    ]);
    await call(emulator, news.pop);
    await call(emulator, news.pop).catch(() => {});
    await call(emulator, news.pop);

    expect(emulator.spots()[0]?.news).toMatchObject({
      pops: [{ at: "2026-03-02T08:00:06.000Z", status: 200, verdict: "counted" }],
      failed: [
        { at: "2026-03-02T08:00:06.000Z", status: 503, fault: "down" },
        { at: "2026-03-02T08:00:06.000Z", status: 0, fault: "gone" },
      ],
    });
  });

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
        org_token: "org_demo",
        screen_id: "screen_demo",
        issued_at: "2026-03-02T08:00:00.000Z",
        newsFirst: true,
        billable: true,
        news: {
          id: "news-transit",
          url: one.news.url,
          media: [],
          pops: [{ at: "2026-03-02T08:00:06.000Z", status: 200, verdict: "counted" }],
          failed: [],
        },
        ad: { id: "ad-coffee", url: one.ad.url, media: [], pops: [], failed: [] },
        state: "open",
      },
    ]);
  });
});
