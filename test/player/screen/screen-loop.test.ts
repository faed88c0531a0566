import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { SpotClient } from "../../../src/client/spot-client.ts";
import type { PlayoutOutcome } from "../../../src/core/spot.ts";
import { type Clock, NEVER } from "../../../src/player/clock.ts";
import type { MediaCache } from "../../../src/player/media/media-cache.ts";
import { type ScreenLoopParts, startScreenLoop } from "../../../src/player/screen/screen-loop.ts";
import type { Stage } from "../../../src/player/screen/stage.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { aSpot } from "../../support/player/spots.ts";

const media = { digest: "a", path: "", sizeBytes: 1, contentType: "" };

/** A clock whose alarms ring late, all at once, after a process was held up, and before it hears anything. */
function holdable() {
  const time = new ManualClock();
  let heldUntil = 0;
  const clock: Clock = {
    bootId: "boot",
    now: () => time.now(),
    wall: () => time.wall(),
    alarm: (at, ring) => time.alarm(Math.max(at, heldUntil), ring),
  };
  const hold = (ms: number) => {
    heldUntil = time.now() + ms;
  };
  return { time, clock, hold };
}

const answer = { kind: "spot", spot: aSpot(), malformed: [], answered: true, serviceTime: null } as const;
const empty = { kind: "empty", malformed: [], answered: true, serviceTime: null } as const;

/** A loop that has all its media at once, and whose decks are ready at once and never painted, but for what is given. */
function start({ stage, ...parts }: Partial<Omit<ScreenLoopParts, "stage">> & { stage: Partial<Stage> }) {
  const control = new AbortController();
  const loop = startScreenLoop({
    ...{ screenId: "s", limits: { maxAgeMs: 900_000, pageWithinMs: 20_000 }, suspendReasons: [], random: () => 0 },
    clock: new ManualClock(),
    client: { getSpot: async () => answer } as unknown as SpotClient,
    cache: { obtain: async () => ({ kind: "kept", media }), release() {} } as unknown as MediaCache,
    log: pino({ level: "silent" }),
    ...{ onSettled() {}, onAsked() {}, onState() {}, signal: control.signal },
    ...parts,
    stage: {
      record: async () => ({ kind: "recorded", leadMs: 1_000 }),
      cue: ({ id }) => loop.dispatch({ kind: "deck-ready", playout: id }),
      ...{ take() {}, clear() {}, blank() {}, unblank() {} },
      ...stage,
    },
  });
  return { loop, control };
}

it("takes in what pages told while the process stood still, before it gives a frame up", async () => {
  const { time, clock, hold } = holdable();
  const outcomes: PlayoutOutcome[] = [];
  const taken: string[] = [];
  const { loop, control } = start({
    clock,
    stage: {
      take({ id }) {
        taken.push(id);
        hold(5_000);
      },
    },
    onSettled: (_, outcome) => outcomes.push(outcome),
  });
  while (taken.length === 0) await new Promise(setImmediate);
  const [first = ""] = taken;
  const paintedAt = time.now() + 20;
  await time.advance(5_000);
  expect(outcomes).toEqual([]);
  loop.dispatch({ kind: "deck-painted", playout: first, paintedAt });
  await time.advance(100);
  expect(outcomes.filter(({ kind }) => kind === "failed")).toEqual([]);
  expect(loop.state().slot?.paintedAt ?? taken.at(1)).toBeDefined();
  control.abort();
});

describe("a deck that loads for 5 s while the process stands still for 10 s", () => {
  it.each([0, 1_000, 2_500, 4_900])("is taken nevertheless where it has loaded for %i ms before", async (beforeMs) => {
    const { time, clock, hold } = holdable();
    const outcomes: PlayoutOutcome[] = [];
    const cued: string[] = [];
    const taken: string[] = [];
    const { loop, control } = start({
      clock,
      stage: {
        cue({ id }) {
          if (cued.push(id) === 1) loop.dispatch({ kind: "deck-ready", playout: id });
        },
        take({ id }) {
          taken.push(id);
          loop.dispatch({ kind: "deck-painted", playout: id, paintedAt: time.now() });
        },
      },
      onSettled: (_, outcome) => outcomes.push(outcome),
    });
    while (cued.length < 2) await time.advance(10);
    await time.advance(beforeMs);
    hold(10_000);
    await time.advance(10_000 + 5_000 - beforeMs);
    loop.dispatch({ kind: "deck-ready", playout: cued[1] ?? "" });
    expect(taken).toEqual(cued.slice(0, 2));
    expect(outcomes.filter(({ kind }) => kind === "failed")).toEqual([]);
    control.abort();
  });
});

/** A loop whose decks are ready at once, and painted so much later; when it asked for spots, and what it did. */
function asking(tellingAt: (now: number) => number, { paintsInMs = 0, spots = NEVER } = {}) {
  const time = new ManualClock();
  const asked: number[] = [];
  const did: (readonly [what: "take" | "clear" | "settle", at: number])[] = [];
  const { loop, control } = start({
    clock: time,
    client: {
      async getSpot() {
        asked.push(time.now());
        return asked.length > spots ? empty : answer;
      },
    } as unknown as SpotClient,
    stage: {
      take({ id }) {
        did.push(["take", time.now()]);
        const painted = () => loop.dispatch({ kind: "deck-painted", playout: id, paintedAt: time.now() });
        if (paintsInMs === 0) setImmediate(painted);
        else time.alarm(time.now() + paintsInMs, painted);
      },
      clear: () => void did.push(["clear", time.now()]),
    },
    tellingAt: () => tellingAt(time.now()),
    onSettled: () => void did.push(["settle", time.now()]),
  });
  return { time, asked, did, control, loop };
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

it.each([
  ["as soon as what comes next is visible, so that a slow disk does not hold that up", 40, 40],
  ["250 ms after what comes next was taken, where that is not visible by then", 400, 250],
])("settles what ended %s", async (_when, paintsInMs, settlesInMs) => {
  const { time, did, control } = asking((now) => now, { paintsInMs });
  while (did.filter(([what]) => what === "settle").length === 0) await time.advance(10);
  await time.advance(paintsInMs);
  const takenAt = did.filter(([what]) => what === "take")[1]?.[1] ?? 0;
  expect(did.slice(1, 4)).toEqual([
    ["take", takenAt] as const,
    ["settle", takenAt + settlesInMs] as const,
    ["clear", takenAt + paintsInMs] as const,
  ]);
  control.abort();
});

it("settles what nothing follows once what lies below had the time to be drawn, so that a slow disk does not hold that up", async () => {
  const { time, did, control } = asking((now) => now, { spots: 1 });
  while (did.filter(([what]) => what === "settle").length < 2) await time.advance(10);
  const [closedAt = 0] = did
    .filter(([what]) => what === "clear")
    .slice(-1)
    .map(([, at]) => at);
  expect(did.at(-1)).toEqual(["settle", closedAt + 100]);
  control.abort();
});

it("settles what ended before the player stops, also where what comes next is not visible yet", async () => {
  const { time, did, control } = asking((now) => now, { paintsInMs: 400 });
  while (did.filter(([what]) => what === "take").length < 2) await time.advance(10);
  expect(did.map(([what]) => what)).not.toContain("settle");
  control.abort();
  expect(did.map(([what]) => what)).toContain("settle");
});

it("a stage that breaks is a matter for whoever restarts the player, and no event after it is lost", async () => {
  const thrown = vi.spyOn(globalThis, "setImmediate").mockImplementation(() => ({}) as NodeJS.Immediate);
  const broken = new Error("Object has been destroyed");
  const { loop, control } = start({
    stage: {
      blank() {
        throw broken;
      },
    },
  });
  loop.dispatch({ kind: "suspend", because: "closed" });
  const [rethrow] = thrown.mock.calls.at(-1) ?? [];
  thrown.mockRestore();
  expect(rethrow).toThrow(broken);
  loop.dispatch({ kind: "resume", because: "closed" });
  expect(loop.state().suspendReasons).toEqual([]);
  control.abort();
});
