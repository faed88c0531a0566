import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffAfter, MOST_REQUESTS_A_MINUTE, TWO_REQUESTS_MS, type Unfilled } from "../../../src/core/loop/pace.ts";
import type { LoopEffect } from "../../../src/core/loop/rules.ts";
import type { Instant } from "../../../src/core/spot.ts";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { type Happening, runInWorld } from "../../support/player/loop-world.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

const unfilled = fc.integer({ min: 1, max: 5_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const aReason: fc.Arbitrary<Unfilled> = fc.oneof(
  fc.constantFrom<Unfilled>({ kind: "no-fill" }, { kind: "unavailable" }, { kind: "denied" }),
  fc.record({
    kind: fc.constant("limited" as const),
    retryAfterMs: fc.oneof(fc.constantFrom(null, 0, -1, 1, 1.5, Number.NEGATIVE_INFINITY), fc.integer()),
  }),
);

describe("the backoff after an unfilled request", () => {
  it("is spread at its longest too, and never longer than 2 min (G6)", () => {
    const waits = [0, 0.5, 0.99].map((roll) => backoffAfter({ kind: "no-fill" }, 20, roll));
    expect(waits[0]).toBe(120_000);
    expect(new Set(waits).size).toBe(3);
    fc.assert(
      fc.property(unfilled, random, (count, roll) => backoffAfter({ kind: "unavailable" }, count, roll) <= 120_000),
    );
  });

  it("is at least four fifths of what it is at most", () => {
    fc.assert(
      fc.property(unfilled, random, (count, roll) => {
        const whole = backoffAfter({ kind: "no-fill" }, count, 0);
        expect(backoffAfter({ kind: "no-fill" }, count, roll)).toBeGreaterThanOrEqual(0.8 * whole);
      }),
    );
  });

  it("is never shorter than the ordinary one, whatever wait an answer names (A14)", () => {
    fc.assert(
      fc.property(aReason, unfilled, random, (reason, count, roll) => {
        expect(backoffAfter(reason, count, roll)).toBeGreaterThanOrEqual(
          backoffAfter({ kind: "no-fill" }, count, roll),
        );
      }),
    );
  });
});

/** What the service and the stage make of one request; at once, as the worst of both do. */
const anAnswer = fc.oneof(
  fc.record({ kind: fc.constant("unfilled" as const), reason: aReason }),
  fc.record({
    kind: fc.constant("spot" as const),
    durationMs: fc.constantFrom(1, 100, 5_000),
    items: fc.constantFrom("none", "news", "both"),
    fails: fc.constantFrom("fetch", "cue", "ready", "take", "paint"),
  }),
);
type Answer = typeof anAnswer extends fc.Arbitrary<infer T> ? T : never;

/** What becomes of a playout whose spot fails at a stage of its way: up to there all goes well, and takes no time. */
function failing(effect: LoopEffect, at: Instant, fails: string): readonly Happening[] {
  if (!("playout" in effect)) return [];
  const playout = effect.playout.id;
  switch (effect.kind) {
    case "fetch":
      if (fails === "fetch") return [{ at, event: { kind: "item-lost", playout, reason: "unfetchable" } }];
      return [{ at, event: { kind: "item-fetched", playout } }];
    case "cue":
      if (fails === "cue") return [{ at, event: { kind: "deck-failed", playout, reason: "undecodable" } }];
      return fails === "ready" ? [] : [{ at, event: { kind: "deck-ready", playout } }];
    case "take":
      if (fails === "take") return [{ at, event: { kind: "deck-failed", playout, reason: "crashed" } }];
      return fails === "paint" ? [] : [{ at, event: { kind: "deck-painted", playout, paintedAt: at } }];
    default:
      return [];
  }
}

function asked(answers: readonly Answer[], hours: number): readonly Instant[] {
  const loop = new LoopDriver();
  let count = 0;
  /** The answers that are spots, in the order of the spots' numbers. */
  const spots: Extract<Answer, { kind: "spot" }>[] = [];
  runInWorld(
    loop,
    hours * 3_600_000,
    (effect, at) => {
      if ("playout" in effect) return failing(effect, at, spots[effect.playout.spotNumber - 1]?.fails ?? "fetch");
      if (effect.kind !== "request-spot") return [];
      const current = answers[count++ % answers.length] as Answer;
      if (current.kind === "unfilled") return [{ at, event: { kind: "spot-unfilled", reason: current.reason } }];
      spots.push(current);
      const { durationMs, items } = current;
      const news = items === "none" ? null : anItem("news", { durationMs });
      const ad = items === "both" ? anItem("ad", { durationMs }) : null;
      return [{ at, event: { kind: "spot-received", spot: aSpot({ news, ad }), requestedAt: at } }];
    },
    { mostEffects: 5_000 },
  );
  return loop.effects.filter(({ effect }) => effect.kind === "request-spot").map(({ at }) => at);
}

/** The most that fall into any span of a length. */
function mostWithin(instants: readonly Instant[], spanMs: number): number {
  return Math.max(0, ...instants.map((from) => instants.filter((at) => at >= from && at < from + spanMs).length));
}

describe("no sequence of answers", () => {
  it("draws more than a few requests a minute when nothing is shown (A14)", () => {
    fc.assert(
      fc.property(fc.array(anAnswer, { minLength: 1, maxLength: 12 }), (answers) => {
        expect(mostWithin(asked(answers, 3), 60_000)).toBeLessThanOrEqual(MOST_REQUESTS_A_MINUTE);
      }),
      { numRuns: 200 },
    );
  });

  it("draws a storm where items of a millisecond are shown", () => {
    const shown = { kind: "spot", durationMs: 1, items: "both", fails: "nowhere" } as unknown as Answer;
    const requests = asked([shown], 1);
    expect(requests.length).toBeGreaterThan(100);
    expect(mostWithin(requests, TWO_REQUESTS_MS)).toBeLessThanOrEqual(2);
  });
});
