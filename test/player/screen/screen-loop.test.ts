import { pino } from "pino";
import { expect, it } from "vitest";
import type { SpotClient } from "../../../src/client/spot-client.ts";
import type { PlayoutOutcome } from "../../../src/core/playout.ts";
import type { Clock } from "../../../src/player/clock.ts";
import type { MediaCache } from "../../../src/player/media/media-cache.ts";
import { startScreenLoop } from "../../../src/player/screen/screen-loop.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { aSpot } from "../../support/player/spots.ts";

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
    ...{ screenId: "s", limits: { maxAgeMs: 900_000, pageWithinMs: 20_000 }, suspendReasons: [], clock, dice: () => 0 },
    client: { getSpot: async () => spot } as unknown as SpotClient,
    cache: { obtain: async () => ({ kind: "kept", media }), release() {} } as unknown as MediaCache,
    stage: {
      record: async () => ({ kind: "recorded", leadMs: 1_000 }),
      cue: ({ id }) => loop.dispatch({ kind: "deck-ready", playout: id }),
      take({ id }) {
        taken.push(id);
        heldUntil = time.now() + 5_000;
      },
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

/** A loop whose decks are ready and painted at once, and when it asked for spots. */
function asking(tellingAt: (now: number) => number) {
  const time = new ManualClock();
  const asked: number[] = [];
  const control = new AbortController();
  const spot = { kind: "spot", spot: aSpot(), malformed: [], answered: true, serviceTime: null } as const;
  const loop = startScreenLoop({
    ...{
      screenId: "s",
      limits: { maxAgeMs: 900_000, pageWithinMs: 20_000 },
      suspendReasons: [],
      clock: time,
      dice: () => 0,
    },
    client: {
      async getSpot() {
        asked.push(time.now());
        return spot;
      },
    } as unknown as SpotClient,
    cache: { obtain: async () => ({ kind: "kept", media }), release() {} } as unknown as MediaCache,
    stage: {
      record: async () => ({ kind: "recorded", leadMs: 1_000 }),
      cue: ({ id }) => loop.dispatch({ kind: "deck-ready", playout: id }),
      take: ({ id }) => setImmediate(() => loop.dispatch({ kind: "deck-painted", playout: id, paintedAt: time.now() })),
      clear() {},
      darken() {},
      lighten() {},
    },
    log: pino({ level: "silent" }),
    tellingAt: () => tellingAt(time.now()),
    ...{ onSettled() {}, onAsked() {}, onState() {}, signal: control.signal },
  });
  return { time, asked, control, loop };
}

/** Until so many spots were asked for. */
async function until(asked: readonly number[], count: number, time: ManualClock): Promise<void> {
  while (asked.length < count) await time.advance(10);
}

it("puts the request for the next spot off to when it tells most, and none while nothing is on air", async () => {
  const atOnce = asking((now) => now);
  const putOff = asking((now) => now + 700);
  for (const { asked, time, control } of [atOnce, putOff]) {
    await until(asked, 2, time);
    control.abort();
  }
  expect(atOnce.asked[0]).toBe(0);
  expect(putOff.asked).toEqual([0, (atOnce.asked[1] ?? 0) + 700]);
});

it("waits no longer once it was stopped while a request was put off", async () => {
  const { time, asked, control } = asking((now) => now + 900);
  await time.advance(100);
  expect(asked).toEqual([0]);

  control.abort();
  await time.settle();
  await time.advance(2_000);

  // The service is handed the raised signal, and answers that it was called off.
  expect(asked).toEqual([0, 100]);
});

it("does not ask for a spot that it put off, where nobody can see the screen meanwhile, and asks at once when it is seen again", async () => {
  const { time, asked, control, loop } = asking((now) => now + 900);
  await time.advance(100);
  expect(asked).toEqual([0]);

  loop.dispatch({ kind: "suspend", because: "hidden" });
  await time.advance(60_000);
  expect(asked).toEqual([0]);

  const back = time.now();
  loop.dispatch({ kind: "resume", because: "hidden" });
  await time.settle();
  expect(asked).toEqual([0, back]);
  control.abort();
});
