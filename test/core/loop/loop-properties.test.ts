import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../../src/core/loop/loop.ts";
import type { LoopEffect } from "../../../src/core/loop/rules.ts";
import { LATE_PAINT_MS, type SuspendReason, wakeAt } from "../../../src/core/loop/state.ts";
import type { PlayoutOutcome } from "../../../src/core/spot.ts";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { type Happening, runInWorld } from "../../support/player/loop-world.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

/** What the world does in answer to one effect: after how long, and whether it goes well, wrong or nothing comes. */
const aFate = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 30_000 })),
  goes: fc.oneof({ weight: 8, arbitrary: fc.constant("well" as const) }, fc.constantFrom("wrong", "nowhere")),
  durationMs: fc.integer({ min: 100, max: 40_000 }),
  newsFirst: fc.boolean(),
  /** For how long nobody can see the stage from then on. */
  hiddenMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1_000, max: 60_000 })),
});
type Fate = typeof aFate extends fc.Arbitrary<infer T> ? T : never;

const RUN_MS = 10 * 60_000;
/** A world in which all goes wrong at once, again and again, is not looked at for longer. */
const MOST_EFFECTS = 3_000;

/** A span in which the screen is suspended; spans may overlap. */
const aSuspension = fc.record({
  because: fc.constantFrom<SuspendReason[]>("closed", "hidden"),
  at: fc.integer({ min: 0, max: RUN_MS }),
  lengthMs: fc.integer({ min: 0, max: 120_000 }),
});
type Suspension = typeof aSuspension extends fc.Arbitrary<infer T> ? T : never;

/** Runs a loop for ten minutes in a world whose answers are drawn: fates are used in turn, again and again. */
function playedThrough(fates: readonly Fate[], suspensions: readonly Suspension[]): LoopDriver {
  const loop = new LoopDriver();
  let answered = 0;
  const planned = suspensions.flatMap(({ because, at, lengthMs }) => suspended(because, at, lengthMs));
  const answersTo = (effect: LoopEffect, at: number): readonly Happening[] => {
    const fate = fates[answered++ % fates.length];
    if (fate === undefined) return [];
    const event = answerTo(effect, fate, at);
    const then = at + fate.afterMs;
    return [
      ...(event === null ? [] : [{ at: then, event }]),
      ...(fate.hiddenMs === 0 ? [] : suspended("hidden", then, fate.hiddenMs)),
    ];
  };
  runInWorld(loop, RUN_MS, answersTo, { planned, mostEffects: MOST_EFFECTS });
  return loop;
}

function suspended(because: SuspendReason, at: number, lengthMs: number): readonly Happening[] {
  return [
    { at, event: { kind: "suspend", because } },
    { at: at + lengthMs, event: { kind: "resume", because } },
  ];
}

function answerTo(effect: LoopEffect, fate: Fate, at: number): LoopEvent | null {
  const well = fate.goes === "well";
  switch (effect.kind) {
    case "request-spot": {
      // A request always ends: the client has time limits.
      if (!well) return { kind: "spot-unfilled", reason: { kind: "no-fill" } };
      const news = anItem("news", { durationMs: fate.durationMs });
      return { kind: "spot-received", spot: aSpot({ news, newsFirst: fate.newsFirst }), requestedAt: at };
    }
    case "fetch":
      if (fate.goes === "nowhere") return null;
      if (well) return { kind: "item-fetched", playout: effect.playout.id };
      return { kind: "item-lost", playout: effect.playout.id, reason: "unfetchable" };
    case "record":
      if (fate.goes === "nowhere") return null;
      if (well) return { kind: "page-recorded", playout: effect.playout.id, leadMs: fate.afterMs };
      return { kind: "item-lost", playout: effect.playout.id, reason: "load-failed" };
    case "cue":
      if (fate.goes === "nowhere") return null;
      if (well) return { kind: "deck-ready", playout: effect.playout.id };
      return { kind: "deck-failed", playout: effect.playout.id, reason: "load-failed" };
    case "take":
      if (fate.goes === "nowhere") return null;
      if (well) return { kind: "deck-painted", playout: effect.playout.id, paintedAt: 0 };
      return { kind: "deck-failed", playout: effect.playout.id, reason: "crashed" };
    case "clear":
    case "settle":
    case "blank":
    case "unblank":
      return null;
  }
}

interface Life {
  cues: number;
  takes: number;
  clears: number;
  durationMs: number;
  outcomes: PlayoutOutcome[];
}

function livesOf(loop: LoopDriver): Map<string, Life> {
  const lives = new Map<string, Life>();
  for (const { effect } of loop.effects) {
    if (!("playout" in effect)) continue;
    const { id, item } = effect.playout;
    const life = lives.get(id) ?? { cues: 0, takes: 0, clears: 0, durationMs: item.durationMs, outcomes: [] };
    lives.set(id, life);
    if (effect.kind === "cue") life.cues++;
    if (effect.kind === "take") life.takes++;
    if (effect.kind === "clear") life.clears++;
    if (effect.kind === "settle") life.outcomes.push(effect.outcome);
  }
  return lives;
}

/** An answer is still to come: to a request, a download or a deck. */
function isWaited({ state }: LoopDriver): boolean {
  return state.request.kind === "sent" || state.queue.length > 0 || state.slot !== null;
}

const property = (check: (loop: LoopDriver) => void) =>
  fc.assert(
    fc.property(
      fc.array(aFate, { minLength: 1, maxLength: 60 }),
      fc.array(aSuspension, { maxLength: 4 }),
      (fates, suspensions) => check(playedThrough(fates, suspensions)),
    ),
    { numRuns: 300 },
  );

describe("whatever happens, the loop", () => {
  it("gets far in these runs: many items are shown, and many fail", () => {
    const kinds = { shown: 0, failed: 0 };
    property((loop) => {
      for (const { outcomes } of livesOf(loop).values()) for (const { kind } of outcomes) kinds[kind]++;
    });
    expect(kinds.shown).toBeGreaterThan(1_000);
    expect(kinds.failed).toBeGreaterThan(1_000);
  });

  it("settles no playout twice, and shows none that was not taken and painted for its whole duration (G1, G2)", () => {
    property((loop) => {
      for (const { outcomes, takes, durationMs } of livesOf(loop).values()) {
        expect(outcomes.length).toBeLessThanOrEqual(1);
        const shown = outcomes.find((outcome) => outcome.kind === "shown");
        if (shown?.kind !== "shown") continue;
        expect(takes).toBe(1);
        expect(shown.endedAt - shown.paintedAt).toBeGreaterThanOrEqual(durationMs - LATE_PAINT_MS);
      }
    });
  });

  it("takes each playout at most once, after one cue, and never leaves a deck open behind it (G3)", () => {
    property((loop) => {
      const open = [...livesOf(loop).values()].filter(({ cues, clears }) => cues > clears);
      for (const { cues, takes, clears } of livesOf(loop).values()) {
        expect(cues).toBeLessThanOrEqual(1);
        expect(takes).toBeLessThanOrEqual(cues);
        expect(clears).toBeLessThanOrEqual(cues);
      }
      expect(open.length).toBeLessThanOrEqual(2);
    });
  });

  it("shows nothing that was hidden meanwhile, and begins nothing while it is (G2)", () => {
    let hidden = 0;
    property((loop) => {
      for (const one of loop.effects) {
        if (one.hidden) expect(["clear", "settle", "fetch", "blank", "unblank"]).toContain(one.effect.kind);
        if (one.effect.kind !== "settle") continue;
        const { outcome } = one.effect;
        if (outcome.kind === "failed" && outcome.reason === "hidden") hidden++;
        if (outcome.kind !== "shown") continue;
        const { paintedAt, endedAt } = outcome;
        expect(loop.losses.filter((at) => at > paintedAt && at < endedAt)).toEqual([]);
      }
    });
    expect(hidden).toBeGreaterThan(100);
  });

  it("has at most two decks open at any time", () => {
    property((loop) => {
      let open = 0;
      for (const { effect } of loop.effects) {
        if (effect.kind === "cue") open++;
        if (effect.kind === "clear") open--;
        expect(open).toBeLessThanOrEqual(2);
      }
    });
  });

  it("comes back to playing after every suspension, and is blanked only while suspended", () => {
    property((loop) => {
      let blanked = false;
      for (const { effect } of loop.effects) {
        if (effect.kind === "blank" || effect.kind === "unblank") {
          expect(effect.kind).toBe(blanked ? "unblank" : "blank");
          blanked = !blanked;
        }
        if (effect.kind === "request-spot" || effect.kind === "take") expect(blanked).toBe(false);
      }
      if (loop.state.suspendReasons.length === 0)
        expect([blanked, wakeAt(loop.state) !== null || isWaited(loop)]).toEqual([false, true]);
    });
  });

  it("never owes a proof for an item of a spot asked for an hour ago", () => {
    property((loop) => {
      for (const { effect } of loop.effects) {
        if (effect.kind !== "settle" || effect.outcome.kind !== "shown") continue;
        expect(effect.outcome.endedAt - effect.playout.requestedAt).toBeLessThan(3_600_000);
      }
    });
  });
});
