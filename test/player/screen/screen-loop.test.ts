import { pino } from "pino";
import { expect, it } from "vitest";
import type { Service } from "../../../src/client/service.ts";
import type { PlayoutOutcome } from "../../../src/core/playout.ts";
import type { Clock } from "../../../src/player/clock.ts";
import type { MediaCache } from "../../../src/player/media/media-cache.ts";
import { startScreenLoop } from "../../../src/player/screen/screen-loop.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aSpot } from "../../support/spots.ts";

const media = { digest: "a", path: "", sizeBytes: 1, contentType: "" };

it("takes in what pages told while the process stood still, before it gives a frame up", async () => {
  const time = new ManualClock();
  let heldUntil = 0;
  // As a process does that was stopped: its alarms ring late, all at once, before it hears anything.
  const clock: Clock = {
    bootId: "boot",
    now: () => time.now(),
    wall: () => time.wall(),
    alarm: (at, ring) => time.alarm(Math.max(at, heldUntil), ring),
  };
  const outcomes: PlayoutOutcome[] = [];
  const taken: string[] = [];
  const control = new AbortController();
  const spot = { kind: "spot", spot: aSpot(), malformed: [], answered: true, serviceTime: null } as const;
  const loop = startScreenLoop({
    ...{ screenId: "s", limits: { maxAgeMs: 900_000, pageWithinMs: 20_000 }, resting: [], clock, dice: () => 0 },
    service: { getSpot: async () => spot } as unknown as Service,
    cache: { obtain: async () => ({ kind: "kept", media }), release() {} } as unknown as MediaCache,
    stage: {
      cue: ({ id }) => loop.dispatch({ kind: "deck-ready", playout: id }),
      take({ id }) {
        taken.push(id);
        heldUntil = time.now() + 5_000;
      },
      warm() {},
      clear() {},
      darken() {},
      lighten() {},
    },
    log: pino({ level: "silent" }),
    ...{ onSettled: (_, outcome) => outcomes.push(outcome), onAsked() {}, onState() {}, signal: control.signal },
  });
  while (taken.length === 0) await new Promise(setImmediate);
  const [first = ""] = taken;
  const paintedAt = time.now() + 20;
  await time.advance(5_000);
  expect(outcomes).toEqual([]);
  loop.dispatch({ kind: "deck-painted", playout: first, paintedAt });
  await time.advance(100);
  expect(outcomes.filter(({ kind }) => kind === "failed")).toEqual([]);
  expect(loop.state().slot?.paintedAt ?? outcomes.at(0)).toBeDefined();
  control.abort();
});
