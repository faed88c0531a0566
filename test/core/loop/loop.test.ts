import { describe, expect, it } from "vitest";
import { MOMENT_MS, SEEN_AFTER_MS } from "../../../src/core/loop/state.ts";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

/** A loop whose first spot is fetched and whose first item is on the air, painted a refresh after its take. */
function onAir(
  spot = aSpot(),
  { maxAgeMs, paintedInMs = SEEN_AFTER_MS }: { maxAgeMs?: number; paintedInMs?: number } = {},
): LoopDriver {
  const loop = new LoopDriver(maxAgeMs);
  loop.tell({ kind: "started" });
  loop.tell({ kind: "spot-received", spot, requestedAt: loop.now });
  loop.prepare("1-news", "1-ad");
  const first = spot.newsFirst ? "1-news" : "1-ad";
  loop.ready(first);
  loop.pass(paintedInMs);
  loop.paint(first);
  return loop;
}

function failAfterHalfASecond(loop: LoopDriver): void {
  loop.pass(500);
  loop.tell({ kind: "deck-failed", playout: "1-ad", reason: "load-failed" });
}

describe("the loop", () => {
  it("asks for a spot at once and for nothing more until the answer is there", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.pass(60_000);
    expect(loop.read()).toEqual(["request-spot"]);
  });

  it("cues the first item as soon as it is on disk, whatever the other one does (G3)", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.prepare("1-ad");
    expect(loop.read()).toEqual(["request-spot", "fetch 1-news", "fetch 1-ad"]);
    loop.prepare("1-news");
    expect(loop.read()).toEqual(["cue 1-news"]);
  });

  it.each([
    { newsFirst: true, order: ["1-news", "1-ad"] },
    { newsFirst: false, order: ["1-ad", "1-news"] },
  ])("plays in the order that newsFirst=$newsFirst says", ({ newsFirst, order: [first, second] }) => {
    const loop = onAir(aSpot({ newsFirst }));
    loop.ready(second as string);
    loop.pass(5_000);
    expect(loop.read().filter((effect) => effect.startsWith("take"))).toEqual([`take ${first}`, `take ${second}`]);
  });

  it("takes the next item on the planned instant, and owes the proof of the one that ends there", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_983);
    loop.read();
    loop.pass(1);
    expect(loop.read()).toEqual(["take 1-ad", "settle 1-news shown"]);
  });

  it("keeps the old item visible until the new one has painted", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.read();
    loop.pass(15);
    loop.paint("1-ad");
    expect(loop.read()).toEqual(["clear 1-news"]);
  });

  it("does not drift: late first frames within 67 ms leave the schedule as it is", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.pass(60);
    loop.paint("1-ad");
    loop.tell({ kind: "spot-received", spot: aSpot({ requestId: "r2" }), requestedAt: loop.now });
    loop.prepare("2-news", "2-ad");
    loop.ready("2-news");
    loop.pass(6_000);
    const takes = loop.effects.filter(({ effect }) => effect.kind === "take").map(({ at }) => at);
    expect(takes).toEqual([1_000, 6_000, 11_000]);
  });

  it("shows an item for its whole duration when its first frame was late", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.pass(500);
    loop.paint("1-ad");
    loop.read();
    loop.pass(5_000 - SEEN_AFTER_MS - 1);
    expect(loop.read()).not.toContain("settle 1-ad shown");
    loop.pass(1);
    expect(loop.read()).toContain("settle 1-ad shown");
  });

  it("counts what covers no other item from its first frame", () => {
    const loop = onAir(aSpot(), { paintedInMs: 60 });
    loop.ready("1-ad");
    loop.pass(5_000);
    const [first = 0, next = 0] = loop.effects.filter(({ effect }) => effect.kind === "take").map(({ at }) => at);
    expect(next - first).toBe(60 + 5_000 - SEEN_AFTER_MS);
  });

  it("takes away what nothing follows a refresh before its time: it is in sight until the next one", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.pass(60);
    loop.paint("1-ad");
    loop.read();
    loop.pass(5_000 - SEEN_AFTER_MS - 1);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["clear 1-ad", "settle 1-ad shown"]);
  });

  it("bridges with house content when the next item is not ready, after its whole duration", () => {
    const loop = onAir();
    loop.read();
    loop.pass(4_984);
    expect(loop.read()).toEqual([]);
    loop.pass(16 + MOMENT_MS);
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news shown"]);
    loop.ready("1-ad");
    expect(loop.read()).toEqual(["take 1-ad"]);
  });

  it("keeps an item visible for a moment longer where the next is about to be ready: house content would be a flash", () => {
    const loop = onAir();
    loop.read();
    loop.pass(4_984 + MOMENT_MS - 1);
    expect(loop.read()).toEqual([]);
    loop.ready("1-ad");
    expect(loop.read()).toEqual(["take 1-ad", "settle 1-news shown"]);
  });

  it("plays the other item of a spot when one cannot be fetched", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.lose("1-news");
    loop.prepare("1-ad");
    expect(loop.read()).toEqual([
      "request-spot",
      "fetch 1-news",
      "fetch 1-ad",
      "settle 1-news unfetchable",
      "cue 1-ad",
    ]);
  });

  it("owes nothing for an item that fails on the air, and starts the next on its planned instant", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(2_000);
    loop.read();
    loop.tell({ kind: "deck-failed", playout: "1-news", reason: "stalled" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news stalled"]);
    loop.pass(2_983);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["take 1-ad"]);
  });

  it("takes down a deck that never paints, without a proof", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.read();
    loop.pass(2_000);
    expect(loop.read()).toEqual(["clear 1-ad", "clear 1-news", "settle 1-ad not-painted"]);
  });

  it("gives up a deck that never gets ready and goes on with the next item", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.prepare("1-news", "1-ad");
    loop.read();
    loop.pass(20_000);
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news not-ready", "cue 1-ad"]);
  });

  it.each([
    ["never gets ready", "not-ready", (loop: LoopDriver) => loop.pass(1_000)],
    ["fails while it is waited for", "load-failed", failAfterHalfASecond],
  ] as const)(
    "lets what follows an item that %s keep its planned instant, with house content before it",
    (_, reason, act) => {
      const loop = onAir();
      const airedAt = loop.now - SEEN_AFTER_MS;
      loop.pass(5_000 + MOMENT_MS);
      loop.read();
      act(loop);
      expect(loop.read()).toEqual(["clear 1-ad", `settle 1-ad ${reason}`]);
      loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
      loop.prepare("2-news", "2-ad");
      expect(loop.read()).toEqual(["fetch 2-news", "fetch 2-ad", "cue 2-news"]);
      loop.ready("2-news");
      loop.passUntilEffect(10_000);
      expect(loop.read()).toEqual(["take 2-news"]);
      expect(loop.now - airedAt).toBe(10_000);
    },
  );

  it("does not hold the slot of an item that failed before its turn: what follows takes its place", () => {
    const loop = onAir();
    loop.tell({ kind: "deck-failed", playout: "1-ad", reason: "load-failed" });
    loop.pass(5_000);
    expect(loop.state.slot).toBe(null);
    expect(loop.state.dueAt).toBe(null);
  });

  it("ignores what is reported of a playout that is over", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.read();
    loop.tell({ kind: "deck-failed", playout: "1-news", reason: "crashed" });
    loop.tell({ kind: "deck-painted", playout: "1-news", paintedAt: loop.now });
    loop.prepare("1-news");
    expect(loop.read()).toEqual([]);
  });

  it("survives a spot with one item only", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot({ ad: null }), requestedAt: loop.now });
    loop.prepare("1-news");
    loop.ready("1-news");
    loop.paint("1-news");
    loop.pass(5_000);
    expect(loop.read()).toContain("settle 1-news shown");
  });
});

describe("the next spot", () => {
  const long = aSpot({ news: anItem("news", { durationMs: 40_000 }), ad: anItem("ad", { durationMs: 10_000 }) });

  it("is asked for 20 s before the end of the spot on air (G4)", () => {
    const loop = onAir(long);
    loop.read();
    loop.pass(29_983);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["request-spot"]);
  });

  it("is asked for at the start of the spot on air when that is shorter than 20 s (G4)", () => {
    const loop = onAir();
    expect(loop.read().filter((effect) => effect === "request-spot")).toHaveLength(2);
  });

  it("is not asked for while another is ready (G4)", () => {
    const loop = onAir();
    loop.tell({ kind: "spot-received", spot: aSpot({ requestId: "r2" }), requestedAt: loop.now });
    loop.prepare("2-news", "2-ad");
    loop.read();
    loop.pass(4_000);
    expect(loop.read()).not.toContain("request-spot");
  });

  it("is dropped unplayed when it waited longer than its age allows (G3)", () => {
    const loop = onAir(aSpot({ news: anItem("news", { durationMs: 100_000 }), ad: null }), { maxAgeMs: 60_000 });
    loop.pass(80_000);
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now - 50_000 });
    loop.prepare("2-news");
    loop.read();
    loop.pass(14_000);
    expect(loop.read()).toEqual(["settle 2-news stale", "settle 2-ad stale", "request-spot"]);
  });

  it("has each item begun only where its proof can still be sent once it was shown (G3, G9)", () => {
    const long = { durationMs: 600_000 };
    const loop = new LoopDriver(3_000_000);
    loop.tell({ kind: "started" });
    const spot = aSpot({ news: anItem("news", long), ad: anItem("ad", long) });
    loop.tell({ kind: "spot-received", spot, requestedAt: loop.now - 2_900_000 });
    loop.prepare("1-news", "1-ad");
    loop.ready("1-news");
    loop.paint("1-news");
    expect(loop.read()).toEqual([
      ...["request-spot", "fetch 1-news", "fetch 1-ad", "cue 1-news", "take 1-news", "settle 1-ad stale"],
    ]);
    // The next spot is there when the item on air ends, and not only after the one that was dropped.
    loop.pass(585_000);
    expect(loop.read()).toEqual(["request-spot"]);
    loop.pass(20_000);
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news shown"]);
  });

  it("has an item that is too long to be proved in time left out, and the other one shown (G3, G9)", () => {
    const loop = new LoopDriver(3_000_000);
    loop.tell({ kind: "started" });
    const spot = aSpot({ news: anItem("news", { durationMs: 600_000 }) });
    loop.tell({ kind: "spot-received", spot, requestedAt: loop.now - 2_999_000 });
    loop.prepare("1-news", "1-ad");
    loop.ready("1-ad");
    expect(loop.read().filter((effect) => !/^(fetch|record|cue)/.test(effect))).toEqual([
      ...["request-spot", "settle 1-news stale", "take 1-ad"],
    ]);
  });

  it("is asked for no earlier than half the age that it may have, however long that is before its turn (G3, G4)", () => {
    const loop = onAir(aSpot({ news: anItem("news", { durationMs: 60_000 }), ad: null }), { maxAgeMs: 15_000 });
    const endsAt = loop.now + 60_000 - SEEN_AFTER_MS;
    loop.read();
    while (!loop.read().includes("request-spot")) loop.pass(100);
    expect(endsAt - loop.now).toBeGreaterThan(7_300);
    expect(endsAt - loop.now).toBeLessThanOrEqual(7_500);
  });

  it("is asked for again at once after the first unfilled request, then after 2 s, doubling to 2 min (G6)", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    const waits: number[] = [];
    for (let unfilled = 0; unfilled < 10; unfilled++) {
      loop.read();
      const unfilledAt = loop.now;
      loop.tell({ kind: "spot-unfilled", reason: { kind: "no-fill" } });
      while (!loop.read().includes("request-spot")) loop.pass(100);
      waits.push(loop.now - unfilledAt);
    }
    expect(waits).toEqual([0, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 120_000, 120_000, 120_000]);
  });

  it.each([
    { reason: { kind: "limited", retryAfterMs: 7_000 } as const, waitMs: 7_000 },
    { reason: { kind: "limited", retryAfterMs: null } as const, waitMs: 30_000 },
    { reason: { kind: "denied" } as const, waitMs: 300_000 },
  ])("is asked for again after $waitMs ms when the request was $reason.kind (G7)", ({ reason, waitMs }) => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.read();
    loop.tell({ kind: "spot-unfilled", reason });
    loop.pass(waitMs - 1);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["request-spot"]);
  });

  it("counts a spot without items as an unfilled request", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot({ news: null, ad: null }), requestedAt: loop.now });
    expect(loop.state.unfilled).toBe(1);
  });

  it("backs off after spots of which nothing can be shown, instead of asking in a storm", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    for (let spots = 1; spots <= 4; spots++) {
      loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
      loop.lose(`${spots}-news`, `${spots}-ad`);
      if (spots < 4) loop.pass(10_000);
    }
    loop.read();
    loop.pass(7_999);
    expect(loop.read()).toEqual([]);
    loop.pass(1);
    expect(loop.read()).toEqual(["request-spot"]);
  });
});

describe("a loop whose stage nobody can see", () => {
  it("fails what was on air and what waits as hidden, owes nothing for it, and asks for nothing", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.read();
    loop.tell({ kind: "suspend", because: "hidden" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news hidden", "clear 1-ad", "settle 1-ad hidden"]);
    loop.pass(3_600_000);
    expect(loop.read()).toEqual([]);
  });

  it("fails an item that was taken and not painted yet, and with it goes the one whose deck it should cover", () => {
    const loop = onAir();
    loop.ready("1-ad");
    loop.pass(4_984);
    loop.read();
    loop.tell({ kind: "suspend", because: "hidden" });
    expect(loop.read()).toEqual(["clear 1-ad", "clear 1-news", "settle 1-ad hidden"]);
    loop.paint("1-ad");
    loop.pass(60_000);
    expect(loop.read()).toEqual([]);
  });

  it("drops a spot that was on its way, and does not count its request as unfilled", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "suspend", because: "hidden" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.prepare("1-news", "1-ad");
    expect(loop.read()).toEqual(["request-spot", "settle 1-news hidden", "settle 1-ad hidden"]);
    expect(loop.state.unfilled).toBe(0);
  });

  it("asks again as soon as it can be seen, and plays", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "suspend", because: "hidden" });
    loop.tell({ kind: "started" });
    loop.pass(60_000);
    expect(loop.read()).toEqual([]);
    loop.tell({ kind: "resume", because: "hidden" });
    expect(loop.read()).toEqual(["request-spot"]);
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.prepare("1-news", "1-ad");
    loop.ready("1-news");
    expect(loop.read()).toContain("take 1-news");
  });
});
