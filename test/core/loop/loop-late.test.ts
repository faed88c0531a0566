import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEffect } from "../../../src/core/loop/rules.ts";
import { FETCH_WITHIN_MS, type LoopState, UNRECORDED_LEAD_MS } from "../../../src/core/loop/state.ts";
import type { Spot } from "../../../src/core/spot.ts";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { type Happening, runInWorld } from "../../support/player/loop-world.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

/** A loop whose first spot has just come. */
function received(spot: Spot = aSpot()): LoopDriver {
  const loop = new LoopDriver();
  loop.tell({ kind: "started" });
  receive(loop, spot);
  return loop;
}

function receive(loop: LoopDriver, spot: Spot = aSpot()): void {
  loop.tell({ kind: "spot-received", spot, requestedAt: loop.now });
  loop.read();
}

/** A loop with the first item of its first spot visible, the second one on its way, and the next spot asked for. */
function onAir(): LoopDriver {
  const loop = received();
  loop.prepare("1-news");
  loop.ready("1-news");
  loop.paint("1-news");
  loop.read();
  return loop;
}

const page = aSpot({ ad: anItem("ad", { form: "html", mimeType: "text/html" }) });

describe("an item that is not on disk", () => {
  it("fails at the end of the item on air, and the next spot goes on (G3)", () => {
    const loop = onAir();
    loop.pass(4_999);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news shown", "settle 1-ad unfetchable"]);
    receive(loop);
    loop.prepare("2-news");
    expect(loop.read()).toEqual(["cue 2-news"]);
  });

  it("is taken on its planned instant where it is there by its turn (G3)", () => {
    const loop = onAir();
    loop.pass(4_900);
    loop.prepare("1-ad");
    expect(loop.read()).toEqual(["cue 1-ad"]);
    loop.ready("1-ad");
    loop.read();
    loop.pass(100);
    expect(loop.read()).toEqual(["take 1-ad", "settle 1-news shown"]);
  });

  it("leaves its turn to the other item of its spot, which is cued at once and not after an empty slot (G3)", () => {
    const loop = onAir();
    receive(loop);
    loop.prepare("1-ad", "2-ad");
    loop.ready("1-ad");
    loop.pass(5_000);
    loop.paint("1-ad");
    loop.read();
    loop.pass(5_000);
    expect(loop.read()).toEqual(["clear 1-ad", "settle 1-ad shown", "settle 2-news unfetchable", "cue 2-ad"]);
    loop.ready("2-ad");
    expect(loop.read()).toEqual(["take 2-ad"]);
  });

  it("fails 30 s after its spot came where nothing is on air, and what is there plays (G3)", () => {
    const loop = received();
    loop.prepare("1-ad");
    loop.pass(FETCH_WITHIN_MS - 1);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["settle 1-news unfetchable", "cue 1-ad"]);
  });

  it("has its request counted as unfilled where the other one is not there either, and the next is asked for (G3)", () => {
    const loop = received();
    loop.pass(FETCH_WITHIN_MS);
    expect(loop.read()).toEqual(["settle 1-news unfetchable", "settle 1-ad unfetchable", "request-spot"]);
    expect(loop.state.unfilled).toBe(1);
  });

  it("is waited for no longer than its turn when what is before it fails on the air", () => {
    const loop = onAir();
    loop.tell({ kind: "deck-failed", playout: "1-news", reason: "stalled" });
    loop.read();
    loop.pass(5_000);
    expect(loop.read()).toEqual(["settle 1-ad unfetchable"]);
  });

  it("fails at once when it cannot be had, for the reason that is told", () => {
    const loop = received(page);
    loop.tell({ kind: "item-lost", playout: "1-ad", reason: "hung" });
    expect(loop.read()).toEqual(["settle 1-ad hung"]);
  });

  it("changes nothing when it comes after its turn", () => {
    const loop = onAir();
    loop.pass(5_000);
    loop.read();
    const before = loop.state;
    loop.prepare("1-ad");
    expect(loop.read()).toEqual([]);
    expect(loop.state).toEqual(before);
  });

  it("has the next spots asked for earlier, by how long it was waited for (G4)", () => {
    const loop = received(aSpot({ news: anItem("news", { durationMs: 30_000 }) }));
    loop.prepare("1-news");
    loop.ready("1-news");
    loop.paint("1-news");
    loop.pass(15_000);
    receive(loop, aSpot({ news: anItem("news", { durationMs: 200_000 }) }));
    loop.prepare("2-news");
    loop.pass(15_000);
    loop.ready("2-news");
    loop.paint("2-news");
    loop.read();
    // 60 s before the end of the pair of 205 s, twice as long as the ad of the first spot was waited for.
    loop.pass(144_999);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["request-spot"]);
  });

  it("is let go of at once when nobody can see the screen", () => {
    const loop = onAir();
    loop.tell({ kind: "suspend", because: "hidden" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news hidden", "settle 1-ad hidden"]);
  });
});

describe("a page", () => {
  /** Cued with what lead. */
  function cuedBefore(leadMs: number): number {
    const loop = received(page);
    loop.prepare("1-news");
    loop.tell({ kind: "item-fetched", playout: "1-ad" });
    loop.tell({ kind: "page-recorded", playout: "1-ad", leadMs });
    loop.ready("1-news");
    loop.paint("1-news");
    const endsAt = loop.now + 5_000;
    loop.pass(5_000);
    const cue = loop.effects.find(({ effect }) => effect.kind === "cue" && effect.playout.id === "1-ad");
    return endsAt - (cue?.at ?? Number.NaN);
  }

  it("is cued as long before its turn as it says itself (F22)", () => {
    expect([300, 1_250, 4_000].map(cuedBefore)).toEqual([300, 1_250, 4_000]);
  });

  it("is cued no earlier than pages may load", () => {
    const loop = received(aSpot({ news: anItem("news", { durationMs: 60_000 }), ad: page.ad }));
    loop.prepare("1-news");
    loop.tell({ kind: "item-fetched", playout: "1-ad" });
    loop.tell({ kind: "page-recorded", playout: "1-ad", leadMs: 50_000 });
    loop.ready("1-news");
    loop.paint("1-news");
    loop.pass(39_999);
    expect(loop.read()).not.toContain("cue 1-ad");
    loop.pass(1);
    expect(loop.read()).toContain("cue 1-ad");
  });

  /** With another item on air for 5 s, and the page's document on disk. */
  function recording(): LoopDriver {
    const loop = received(page);
    loop.prepare("1-news");
    loop.ready("1-news");
    loop.paint("1-news");
    loop.read();
    loop.tell({ kind: "item-fetched", playout: "1-ad" });
    return loop;
  }

  it("is recorded once its document is on disk", () => {
    expect(recording().read()).toEqual(["record 1-ad"]);
  });

  it("is cued as it is where its recording lasts too long, and never late for that", () => {
    const loop = recording();
    loop.pass(5_000 - UNRECORDED_LEAD_MS - 1);
    expect(loop.read()).not.toContain("cue 1-ad");
    loop.pass(1);
    expect(loop.read()).toContain("cue 1-ad");
    loop.tell({ kind: "page-recorded", playout: "1-ad", leadMs: 300 });
    loop.ready("1-ad");
    loop.pass(UNRECORDED_LEAD_MS);
    expect(loop.read()).toEqual(["take 1-ad", "settle 1-news shown"]);
  });

  it("is cued at once where nothing is on air: its recording is what is seen", () => {
    const loop = received(aSpot({ news: null, ad: page.ad }));
    loop.read();
    loop.tell({ kind: "item-fetched", playout: "1-ad" });
    expect(loop.read()).toEqual(["record 1-ad", "cue 1-ad"]);
  });

  it("fails for the reason for which it could not be recorded", () => {
    const loop = recording();
    loop.read();
    loop.tell({ kind: "item-lost", playout: "1-ad", reason: "hung" });
    expect(loop.read()).toEqual(["settle 1-ad hung"]);
  });
});

/** The longest item of the worlds below. */
const LONGEST_MS = 40_000;
const HOUR_MS = 3_600_000;

/** When an item's download ends, or never. */
const aDownload = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: null, freq: 2 });
const durationMs = fc.integer({ min: 100, max: LONGEST_MS });
const anAnswer = fc.record({
  ...{ afterMs: fc.integer({ min: 0, max: 5_000 }), newsMs: durationMs, adMs: durationMs, newsFirst: fc.boolean() },
  downloads: fc.tuple(aDownload, aDownload),
  one: fc.constantFrom("both", "news", "ad"),
});
type Answer = typeof anAnswer extends fc.Arbitrary<infer T> ? T : never;

/** Everything goes well but downloads, of which any may never end. */
function playedThrough(answers: readonly Answer[]): LoopDriver {
  const loop = new LoopDriver();
  let asked = 0;
  const current = (number: number): Answer => answers[(number - 1) % answers.length] as Answer;
  runInWorld(loop, HOUR_MS, (effect: LoopEffect, at: number): readonly Happening[] => {
    if (effect.kind === "request-spot") {
      const { afterMs, newsMs, adMs, newsFirst, one } = current(++asked);
      const news = one === "ad" ? null : anItem("news", { durationMs: newsMs });
      const ad = one === "news" ? null : anItem("ad", { durationMs: adMs });
      return [
        { at: at + afterMs, event: { kind: "spot-received", spot: aSpot({ news, ad, newsFirst }), requestedAt: at } },
      ];
    }
    if (!("playout" in effect)) return [];
    const { id, item, spotNumber } = effect.playout;
    if (effect.kind === "cue") return [{ at: at + 100, event: { kind: "deck-ready", playout: id } }];
    if (effect.kind === "take") return [{ at: at + 20, event: { kind: "deck-painted", playout: id, paintedAt: 0 } }];
    const tookMs = current(spotNumber).downloads[item.kind === "news" ? 0 : 1];
    if (effect.kind !== "fetch" || tookMs === null) return [];
    return [{ at: at + tookMs, event: { kind: "item-fetched", playout: id } }];
  });
  return loop;
}

describe("whichever downloads never end, the loop", () => {
  const answers = fc.array(anAnswer, { minLength: 1, maxLength: 20 });

  it("asks for another spot in time: a spot that came holds it up for its items and 30 s at most (G3)", () => {
    fc.assert(
      fc.property(answers, (drawn) => {
        const { effects, now } = playedThrough(drawn);
        const asks = effects.filter(({ effect }) => effect.kind === "request-spot").map(({ at }) => at);
        // The shortest items make for more effects than are looked at of an hour.
        const waits = [...asks, now].slice(1).map((at, index) => at - (asks[index] ?? 0));
        expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_WAIT_MS);
      }),
      { numRuns: 200, examples: [[[SHORTEST_ITEMS]]] },
    );
  });

  it("lets no item wait in the queue for ever", () => {
    fc.assert(
      fc.property(answers, (drawn) => {
        const { now, state } = playedThrough(drawn);
        expect(oldestWaitMs(state, now)).toBeLessThanOrEqual(2 * LONGEST_MS + FETCH_WITHIN_MS + 1_000);
      }),
      { numRuns: 200 },
    );
  });
});

const SHORTEST_ITEMS: Answer = {
  afterMs: 0,
  newsMs: 100,
  adMs: 100,
  newsFirst: false,
  downloads: [null, 0],
  one: "both",
};

/** The answer takes 5 s; two items are on air before, one of the spot is played; two minutes are the longest backoff. */
const LONGEST_WAIT_MS = 5_000 + 2 * LONGEST_MS + FETCH_WITHIN_MS + LONGEST_MS + 120_000;

function oldestWaitMs({ queue }: LoopState, now: number): number {
  return Math.max(0, ...queue.map(({ receivedAt }) => now - receivedAt));
}
