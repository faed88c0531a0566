import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  enter,
  type LedgerSpot,
  MOST_RECORDS,
  MOST_SPOTS,
  newLedger,
  provePlay,
  recordMedia,
} from "../../../src/emulator/spot/ledger.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ask, call, json, nextSpot, pathIn, running } from "../running.ts";

function spot(number: number, url = "http://m/a.png"): LedgerSpot {
  const ad = { id: "a", url, popPath: `/pop/${number}`, shownAt: 0, media: [], pops: [] };
  const screen = { orgToken: "o", screenId: "s" };
  return { requestId: String(number), ...screen, issuedAt: 0, newsFirst: true, billable: true, news: null, ad };
}

describe("the ledger's limits", () => {
  it("are as who starts the emulator says, a reset and a restart from its file included", async () => {
    const data = join(temporaryFolder(), "state.db");
    const first = await running({ data, keepSpots: 3 });
    const served: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) served.push((await nextSpot(first)).requestId);
    const kept = first.spots().map(({ requestId }) => requestId);
    await first.close();
    const second = await running({ data, keepSpots: 2 });
    const left = second.spots().map(({ requestId }) => requestId);
    second.reset();
    for (let turn = 0; turn < 5; turn += 1) await nextSpot(second);

    expect(kept.length).toBeLessThanOrEqual(3);
    expect(kept).toEqual(served.slice(-kept.length));
    expect(left.length).toBeLessThanOrEqual(2);
    expect(left).toEqual(served.slice(-left.length));
    expect(second.spots().length).toBeLessThanOrEqual(2);
  });

  it("keep a stated number of spots, the newest, and forget the proof-of-play URLs of the others", () => {
    const ledger = newLedger();
    for (let number = 0; number < MOST_SPOTS + 2; number += 1) enter(ledger, spot(number, `http://m/${number}.png`));

    expect(ledger.spots.size).toBeLessThanOrEqual(MOST_SPOTS);
    expect(ledger.spots.size).toBeGreaterThan(0.95 * MOST_SPOTS);
    expect([ledger.pops.size, ledger.latest.size]).toEqual([ledger.spots.size, ledger.spots.size]);
    const [oldest] = ledger.spots.keys();
    const verdicts = [Number(oldest) - 1, oldest, MOST_SPOTS + 1].map(
      (one) => provePlay(ledger, `/pop/${one}`, 1).verdict,
    );
    expect(verdicts).toEqual(["unknown", "counted", "counted"]);
  });

  it("keep a stated number of records for an item, the accepted proof among them whatever came before", () => {
    const ledger = newLedger();
    const entry = spot(1);
    enter(ledger, entry);
    for (let call = 0; call < MOST_RECORDS + 5; call += 1) {
      provePlay(ledger, "/pop/1", 3_600_001);
      recordMedia(ledger, "http://m/a.png", 0);
    }

    expect(provePlay(ledger, "/pop/1", 1).verdict).toBe("counted");
    expect(provePlay(ledger, "/pop/1", 1).verdict).toBe("duplicate");
    expect(entry.ad?.pops).toHaveLength(MOST_RECORDS + 1);
    expect(entry.ad?.media).toHaveLength(MOST_RECORDS);
  });
});

/** Every spot of these tests: news for 2 s, then an ad for 3 s. */
const NEWS_THEN_AD = {
  newsFirst: true,
  news: { ...item("news"), duration: 2000 },
  ad: { ...item("ad"), duration: 3000 },
};

function item(id: string) {
  return { id, title: id, mimeType: "image/png", width: 960, height: 720, duration: 1, url: "creatives/ad-bakery.png" };
}

async function playing(newsFirst = true) {
  const emulator = await running();
  emulator.next("screen_demo", [{ ...NEWS_THEN_AD, newsFirst }]);
  return { emulator, spot: await nextSpot(emulator) };
}

describe("proof of play", () => {
  it("A3, A19 counts a proof with 200, an empty object and no-store", async () => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(2000);

    const reply = await call(emulator, spot.news.pop);

    expect([reply.status, reply.body.toString()]).toEqual([200, "{}"]);
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(emulator.spots()[0]?.news?.pops).toEqual([
      { at: "2026-03-02T08:00:02.000Z", status: 200, verdict: "counted" },
    ]);
  });

  it("makes a spot proved once every item of it is", async () => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(5000);

    await call(emulator, spot.news.pop);
    const half = emulator.spots()[0]?.state;
    await call(emulator, spot.ad.pop);

    expect([half, emulator.spots()[0]?.state]).toEqual(["open", "proved"]);
  });

  it("F7 takes a proof in the last millisecond of the hour", async () => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(3_600_000);

    expect((await call(emulator, spot.ad.pop)).status).toBe(200);
  });

  it("F8 answers 410 to a proof after the hour, does not count it, and the spot has lapsed", async () => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(3_600_001);

    const reply = await call(emulator, spot.ad.pop);

    expect(reply.status).toBe(410);
    expect(json(reply)).toMatchObject({ code: "pop_expired", status: 410, title: "Gone" });
    expect(emulator.spots()[0]).toMatchObject({ state: "lapsed", ad: { pops: [{ status: 410, verdict: "late" }] } });
  });

  it("F9 answers 200 to a duplicate and counts it once", async () => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(5000);

    const replies = [await call(emulator, spot.ad.pop), await call(emulator, spot.ad.pop)];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(emulator.spots()[0]?.ad?.pops.map(({ verdict }) => verdict)).toEqual(["counted", "duplicate"]);
    expect(emulator.calls({ route: "pop" }).at(-1)?.warnings).toEqual(["duplicate proof of play"]);
  });

  it("F10 answers 404 to a proof-of-play URL that was never given out", async () => {
    const { mediaUrl } = await running();

    const reply = await ask(mediaUrl, "/pop/AAAAAAAAAAAAAAAAAAAAAA");

    expect(reply.status).toBe(404);
    expect(json(reply)).toMatchObject({ code: "unknown_pop", status: 404 });
  });

  it("F10, F11 gives out some with a query, and answers 404 when one is altered, even to what means the same", async () => {
    const emulator = await running();
    const pops: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) pops.push((await nextSpot(emulator)).news.pop);
    const withQuery = pops.filter((pop) => pop.includes("?"));
    const path = pathIn(withQuery[0] ?? "");
    emulator.clock.advance(60_000);

    const altered = [path.replace(/\?.*/, ""), path.replace("%3d", "%3D"), path.replace("%7E", "~"), `${path}&`];
    const statuses = await Promise.all(altered.map(async (other) => (await ask(emulator.mediaUrl, other)).status));

    expect(withQuery.length).toBeGreaterThan(0);
    expect(withQuery.length).toBeLessThan(10);
    expect(statuses).toEqual([404, 404, 404, 404]);
    expect((await ask(emulator.mediaUrl, path)).status).toBe(200);
  });

  it("F10 is an altered one to the auditor, too, when a player put a slash at its end", async () => {
    const emulator = await running();
    const path = pathIn((await nextSpot(emulator)).news.pop);

    const reply = await ask(emulator.mediaUrl, path.replace(/(\?.*)?$/, "/$1"));

    expect([reply.status, json(reply).code]).toEqual([404, "unknown_pop"]);
    expect(emulator.audit()).toMatchObject([{ violation: "altered-pop" }]);
  });

  it("survives what a URL parser makes of it", async () => {
    const emulator = await running();
    const pops: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) pops.push((await nextSpot(emulator)).news.pop);

    expect(pops.map((pop) => new URL(pop).href)).toEqual(pops);
  });

  it.each([
    ["news", true, "alone", 2000],
    ["ad", true, "alone", 3000],
    ["ad", true, "after the other one", 5000],
    ["ad", false, "alone", 3000],
    ["news", false, "alone", 2000],
    ["news", false, "after the other one", 5000],
  ] as const)(
    "F12 flags a proof for the %s (news first: %s), %s, before %i ms, and takes it",
    async (kind, newsFirst, how, ms) => {
      const early = await playing(newsFirst);
      const timely = await playing(newsFirst);
      early.emulator.clock.advance(ms - 1);
      timely.emulator.clock.advance(ms);
      for (const { emulator, spot } of how === "alone" ? [] : [early, timely]) {
        await call(emulator, spot[kind === "ad" ? "news" : "ad"].pop);
      }

      const reply = await call(early.emulator, early.spot[kind].pop);
      await call(timely.emulator, timely.spot[kind].pop);

      expect(reply.status).toBe(200);
      expect(early.emulator.spots()[0]?.[kind]?.pops).toMatchObject([{ status: 200, verdict: "early" }]);
      expect(timely.emulator.spots()[0]?.[kind]?.pops).toMatchObject([{ status: 200, verdict: "counted" }]);
    },
  );

  it.each(["HEAD", "POST", "OPTIONS"])("does not count a %s", async (method) => {
    const { emulator, spot } = await playing();
    emulator.clock.advance(5000);

    const reply = await call(emulator, spot.ad.pop, { method });

    expect([reply.status, reply.headers.allow]).toEqual([405, "GET"]);
    expect(emulator.spots()[0]?.ad?.pops).toEqual([]);
  });
});
