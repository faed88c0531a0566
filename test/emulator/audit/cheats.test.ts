import { describe, expect, it } from "vitest";
import { ask, call, nextSpot, running } from "../running.ts";
import { honestSlot, network, play, SLOT_MS, type Slot, verdict } from "./player.ts";

describe("the auditor", () => {
  it("has nothing to say about an honest player", async () => {
    const emulator = await network();
    await play(emulator);

    expect(await verdict(emulator)).toEqual([]);
  });

  it("has nothing to say about an honest player that asks one spot ahead, and skips one now and then", async () => {
    const emulator = await network();
    let onAir = await nextSpot(emulator);
    for (let turn = 0; turn < 240; turn += 1) {
      const ready = await nextSpot(emulator);
      if (turn % 40 === 7) emulator.clock.advance(SLOT_MS);
      else await honestSlot(emulator, onAir);
      onAir = ready;
    }

    expect(await verdict(emulator)).toEqual([]);
  });

  it("names an early pop: before the item can have been shown", async () => {
    const emulator = await network();
    const early: Slot = async (_, spot) => {
      emulator.clock.advance(6999);
      await call(emulator, spot.news.pop);
      emulator.clock.advance(8001);
      await call(emulator, spot.ad.pop);
    };
    await play(emulator, { 100: early });

    expect(await verdict(emulator)).toEqual([
      {
        violation: "early-pop",
        at: "2026-03-02T08:25:06.999Z",
        org_token: "org_demo",
        screen_id: "screen_demo",
        requestId: emulator.spots()[100]?.requestId,
        kind: "news",
        detail: "1 ms before it can have been shown in full",
      },
    ]);
  });

  it("names an early pop: before the pair, in order, can have been shown", async () => {
    const emulator = await network();
    const early: Slot = async (_, spot) => {
      emulator.clock.advance(8000);
      await call(emulator, spot.news.pop);
      await call(emulator, spot.ad.pop);
      emulator.clock.advance(7000);
    };
    await play(emulator, { 100: early });

    expect(await verdict(emulator)).toMatchObject([{ violation: "early-pop", kind: "ad" }]);
  });

  it("has nothing to say about an item that was shown alone, since the one before it could not be", async () => {
    const emulator = await network();
    const alone: Slot = async (_, spot) => {
      emulator.clock.advance(8000);
      await call(emulator, spot.ad.pop);
      emulator.clock.advance(7000);
    };
    await play(emulator, { 100: alone });

    expect(await verdict(emulator)).toEqual([]);
  });

  it("names a late pop", async () => {
    const emulator = await network();
    await play(emulator);
    const spot = await nextSpot(emulator);
    emulator.clock.advance(3_600_001);
    await call(emulator, spot.ad.pop);

    const found = await verdict(emulator);
    expect(found).toMatchObject([{ violation: "late-pop", kind: "ad", detail: "1 ms after the hour" }]);
  });

  it("names a duplicate after success", async () => {
    const emulator = await network();
    const twice: Slot = async (_, spot) => {
      await honestSlot(emulator, spot);
      await call(emulator, spot.news.pop);
    };
    await play(emulator, { 3: twice });

    expect(await verdict(emulator)).toMatchObject([{ violation: "duplicate-after-success", kind: "news" }]);
  });

  it("names an altered pop, even after the journal was cleared", async () => {
    const emulator = await network();
    const altered: Slot = async (_, spot) => {
      await honestSlot(emulator, spot);
      await call(emulator, `${spot.ad.pop}&played=1`);
    };
    await play(emulator, { 3: altered });
    await ask(emulator.controlUrl, "/control/journal", { method: "DELETE" });

    const found = await verdict(emulator);
    expect(found).toMatchObject([{ violation: "altered-pop", detail: expect.stringContaining("&played=1") }]);
  });

  it("names a wrong order", async () => {
    const emulator = await network();
    const reversed: Slot = async (_, spot) => {
      emulator.clock.advance(SLOT_MS);
      await call(emulator, spot.ad.pop);
      emulator.clock.advance(1);
      await call(emulator, spot.news.pop);
    };
    await play(emulator, { 3: reversed });

    expect(await verdict(emulator)).toMatchObject([
      { violation: "wrong-order", kind: "ad", detail: "1 ms before the news, which was to be shown first" },
    ]);
  });

  it("takes no order from proofs that waited and came together", async () => {
    const emulator = await network();
    const waited: Slot = async (_, spot) => {
      emulator.clock.advance(SLOT_MS + 1000);
      await call(emulator, spot.ad.pop);
      emulator.clock.advance(1);
      await call(emulator, spot.news.pop);
    };
    await play(emulator, { 239: waited });

    expect(await verdict(emulator)).toEqual([]);
  });

  it("names an overlap: a spot that was shown beside the one before it", async () => {
    const emulator = await network();
    const both: Slot = async (_, spot) => {
      const next = await nextSpot(emulator);
      emulator.clock.advance(7000);
      await call(emulator, spot.news.pop);
      emulator.clock.advance(8000);
      await call(emulator, spot.ad.pop);
      emulator.clock.advance(6999);
      await call(emulator, next.news.pop);
      emulator.clock.advance(8000);
      await call(emulator, next.ad.pop);
    };
    await play(emulator, { 3: both });

    const detail = "1 ms before the spot before it and this can both have ended";
    expect(await verdict(emulator)).toMatchObject([{ violation: "overlap", kind: "news", detail }]);
  });

  it("names over-requesting, once an hour", async () => {
    const emulator = await network();
    await play(emulator, Object.fromEntries([...Array(60).keys()].map((turn) => [turn, askingTwice])));

    const found = (await verdict(emulator)) as { violation: string }[];
    // What was asked for too often has no proofs either.
    const other = found.filter(({ violation }) => violation !== "low-proof-rate");
    expect(other).toMatchObject([{ violation: "over-requesting", screen_id: "screen_demo", kind: null }]);

    async function askingTwice(...[, spot]: Parameters<Slot>) {
      await nextSpot(emulator);
      await honestSlot(emulator, spot);
    }
  });

  it("does not expect proofs of items that cannot be played (F18)", async () => {
    const emulator = await running();
    const item = { title: "T", mimeType: "image/png", width: 960, height: 720, url: "creatives/ad-bakery.png" };
    const news = { ...item, id: "news", duration: SLOT_MS };
    const ad = { ...item, id: "ad", duration: 0 };
    emulator.next("screen_demo", Array(240).fill({ newsFirst: true, news, ad }));
    for (let turn = 0; turn < 240; turn += 1) {
      const spot = await nextSpot(emulator);
      emulator.clock.advance(SLOT_MS);
      await call(emulator, spot.news.pop);
    }

    expect(await verdict(emulator)).toEqual([]);
  });

  it("expects no turns of an entry that is several screens", async () => {
    const emulator = await network();
    const change = { method: "POST", headers: { "content-type": "application/json" }, body: { amount: 2 } };
    await ask(emulator.baseUrl, "/vendor/org_demo/screens/screen_demo", change);
    for (let turn = 0; turn < 240; turn += 1) {
      const [one, other] = [await nextSpot(emulator), await nextSpot(emulator)];
      emulator.clock.advance(7000);
      for (const { news } of [one, other]) await call(emulator, news.pop);
      emulator.clock.advance(8000);
      for (const { ad } of [one, other]) await call(emulator, ad.pop);
    }

    expect(await verdict(emulator)).toEqual([]);
  });

  it("names a low proof rate", async () => {
    const emulator = await network();
    const unproved: Slot = async () => emulator.clock.advance(SLOT_MS);
    await play(emulator, Object.fromEntries([...Array(25).keys()].map((turn) => [turn, unproved])));

    expect(await verdict(emulator)).toMatchObject([
      { violation: "low-proof-rate", detail: "430 of 480 items were proved within their hour" },
    ]);
  });
});

describe("the auditor, where faults are in force,", () => {
  it("does not hold a duplicate against a player that did not get its answer", async () => {
    const emulator = await network();
    const cut = { match: { route: "pop" }, times: 1, do: { truncateAt: 0 } };
    const again: Slot = async (_, spot) => {
      emulator.clock.advance(7000);
      emulator.setFaults([cut]);
      await call(emulator, spot.news.pop).catch(() => {});
      await call(emulator, spot.news.pop);
      emulator.clock.advance(8000);
      await call(emulator, spot.ad.pop);
    };
    await play(emulator, { 3: again });

    expect(emulator.spots()[3]?.news?.pops.map(({ verdict }) => verdict)).toEqual(["counted", "duplicate"]);
    expect(await verdict(emulator)).toEqual([]);
  });

  it("goes by when a proof was first tried, not by when it got through", async () => {
    const emulator = await network();
    const down = { match: { route: "pop", kind: "news" }, times: 1, do: { reset: true } } as const;
    const retried: Slot = async (_, spot) => {
      emulator.clock.advance(7000);
      emulator.setFaults([down]);
      await call(emulator, spot.news.pop).catch(() => {});
      emulator.clock.advance(8000);
      await call(emulator, spot.ad.pop);
      await call(emulator, spot.news.pop);
    };
    await play(emulator, { 3: retried });

    expect(await verdict(emulator)).toEqual([]);
  });

  it("expects no proof, and reckons no time, of what a fault kept from the screen", async () => {
    const emulator = await network();
    const broken = { name: "broken", match: { route: "media" }, do: { corrupt: true } } as const;
    const garbled = { name: "garbled", match: { route: "spot" }, do: { malformedJson: true } } as const;
    const lost: Slot = async (_, spot) => {
      emulator.setFaults([broken]);
      await call(emulator, spot.news.url);
      emulator.setFaults([garbled]);
      await ask(emulator.baseUrl, "/v3/vendor/org_demo/1/rt_ad/screen_demo");
      emulator.setFaults([]);
      emulator.clock.advance(SLOT_MS);
    };
    await play(emulator, Object.fromEntries([...Array(40).keys()].map((turn) => [turn, lost])));

    expect(await verdict(emulator)).toEqual([]);
  });

  it("expects no proof of a page whose part a fault struck", async () => {
    const emulator = await running();
    emulator.next("screen_demo", Array(240).fill({ newsFirst: true, news: "news-weather", ad: null }));
    emulator.setFaults([{ match: { route: "media" }, times: 1, do: { status: 404 } }]);
    const lost = await nextSpot(emulator);
    await call(emulator, new URL("icons/sun.svg", lost.news.url).href);
    for (let turn = 0; turn < 40; turn += 1) {
      await nextSpot(emulator);
      emulator.clock.advance(SLOT_MS);
    }

    expect(await verdict(emulator)).toEqual([]);
  });

  it("expects proofs of what a fault only delayed", async () => {
    const emulator = await network();
    const slow = { match: { route: "media" }, do: { latencyMs: 0, headers: { "x-slow": "yes" } } } as const;
    const unproved: Slot = async (_, spot) => {
      emulator.setFaults([slow]);
      await call(emulator, spot.news.url);
      emulator.clock.advance(SLOT_MS);
    };
    await play(emulator, Object.fromEntries([...Array(25).keys()].map((turn) => [turn, unproved])));

    expect(await verdict(emulator)).toMatchObject([{ violation: "low-proof-rate" }]);
  });

  it("does not take a fault's own 404 for an altered pop", async () => {
    const emulator = await network();
    const missing = { match: { route: "pop" }, do: { status: 404 } };
    emulator.setFaults([missing]);
    const spot = await nextSpot(emulator);
    await honestSlot(emulator, spot);

    expect(emulator.audit()).toEqual([]);
  });
});
