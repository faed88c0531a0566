import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { BLACK, FOREIGN, openEye, SPOILT } from "../support/display/eye.ts";
import { conclusive, type Punctuality, strays } from "../support/display/punctuality.ts";
import { type Frames, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { PART, ROOM, startWall, type Wall } from "../support/display/wall.ts";
import { eventually, type LedgerSpot, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const HOTKEY = "ctrl+alt+shift+d";
const SCREENS = ["screen_demo", "screen_kiosk"] as const;
type ScreenId = (typeof SCREENS)[number];
const [LEFT, RIGHT] = SCREENS;

/** Different items for each, so that nothing can be taken for the other's. */
const all = plannedSpots(catalogue, 6);
const spots: Readonly<Record<ScreenId, typeof all>> = { [LEFT]: all.slice(0, 3), [RIGHT]: all.slice(3) };
/** More than the rest of the tests lasts; nothing is said about which is when. */
const more = plannedSpots(catalogue, 60);

let wall: Wall;
let rig: Rig;
let player: Running;
const sightings = new Map<ScreenId, readonly Sighting[]>();

beforeAll(async () => {
  await conclusive("screens", play, () => rig.close());
  for (const screenId of SCREENS) await rig.emulator.next(more, screenId);
}, 300_000);

/** Lets both play what is planned; where the machine stood still, what was seen between items says nothing. */
async function play(): Promise<Pick<Punctuality, "inconclusive">> {
  wall = await startWall();
  rig = await openRig({ start: async () => wall });
  for (const screenId of SCREENS) await rig.emulator.next(spots[screenId], screenId);
  const recordings = await Promise.all(SCREENS.map((_, index) => recordPart(index)));
  const screens = SCREENS.map((screenId, index) => ({ screenId, display: { match: index + 1 } }));
  player = rig.play([
    "--config",
    rig.configure({ screenId: undefined, screens, operator: { chord: "Control+Alt+Shift+D" } }),
  ]);
  const stalls = watchStalls(player, wall);
  const areAll = async () => ((await areProved()) ? true : undefined);
  const stalled = await stalls.until("the proofs of both screens", areAll, 90_000);
  const recorded = await Promise.all(recordings.map((recording) => recording.stop()));
  const inconclusive = SCREENS.flatMap((screenId, index) => {
    const frames = recorded[index] as Frames;
    const seen = sightingsIn(frames, eye);
    sightings.set(screenId, seen);
    return strays(seen, shownItems(spots[screenId]), heldUp(stalled, frames.instants)).inconclusive;
  });
  return { inconclusive };
}

afterAll(() => rig?.close());

/** What is to be seen on a display. */
async function sightNow(index: number): Promise<string | undefined> {
  const recording = await recordPart(index);
  return sightingsIn(await recording.stop(), eye).at(-1)?.sight;
}

function recordPart(index: number, { width, height }: { width: number; height: number } = PART) {
  return recordDisplay(wall.part(index), width, height);
}

async function areProved(): Promise<boolean> {
  const ledgers = await Promise.all(SCREENS.map((screenId) => rig.emulator.ledger(screenId)));
  return ledgers.every((ledger) => {
    const planned = ledger.slice(0, spots[LEFT].length);
    return planned.length === spots[LEFT].length && planned.every((spot) => itemsOf(spot).every(isProved));
  });
}

type LedgerItem = NonNullable<LedgerSpot["ad"]>;

function itemsOf({ newsFirst, news, ad }: LedgerSpot): readonly LedgerItem[] {
  return (newsFirst ? [news, ad] : [ad, news]).flatMap((item) => (item === null ? [] : [item]));
}

function isProved({ pops }: LedgerItem): boolean {
  return pops.length > 0;
}

/** How the player says that a screen is. */
async function screenHealth(screenId: ScreenId) {
  return (await readHealth(rig.home))?.screens?.find((screen) => screen.screenId === screenId);
}

/** The item that is on air on a screen, as soon as there is one; the spot of it in the ledger is the newest with that item. */
function onAir(screenId: ScreenId): Promise<{ readonly id: string; readonly kind: "news" | "ad" }> {
  return eventually(`an item on ${screenId}`, async () => {
    const air = (await screenHealth(screenId))?.onAir;
    return typeof air === "object" ? air : undefined;
  });
}

async function out(screenId: ScreenId): Promise<void> {
  const isOut = async () => ((await screenHealth(screenId))?.onAir === "nothing" ? true : undefined);
  await eventually(`${screenId} to be out of sight`, isOut);
}

/** How often its log said that nobody sees a screen: where it comes back at once, its health may never be seen to say so. */
function unseenTimes(screenId: ScreenId): number {
  return player.stderr.filter((line) => line.includes("nobody can see") && line.includes(screenId)).length;
}

/** Items on a screen that were proved so far. */
async function provedCount(screenId: ScreenId): Promise<number> {
  return (await rig.emulator.ledger(screenId)).flatMap(itemsOf).filter(isProved).length;
}

async function provesOn(screenId: ScreenId): Promise<void> {
  const before = await provedCount(screenId);
  const further = async () => ((await provedCount(screenId)) > before + 1 ? true : undefined);
  await eventually(`further proofs of ${screenId}`, further, 60_000);
}

/** What the network holds of a screen at an instant: spots asked for, items proved. */
async function accountOf(screenId: ScreenId): Promise<readonly number[]> {
  return [(await rig.emulator.ledger(screenId)).length, await provedCount(screenId)];
}

/** Waits until the other screen has shown a few more items: time enough for what must not happen. */
async function meanwhile(screenId: ScreenId): Promise<void> {
  await provesOn(screenId);
}

/** What is lost with the sight of a screen: what was on air, the rest of its spot, and the one that was ready. */
const MOST_LOST = 4;

/** Items that were passed over: asked for and never proved, though later ones were. */
async function gaps(screenId: ScreenId): Promise<number> {
  const items = (await rig.emulator.ledger(screenId)).flatMap(itemsOf);
  return items.slice(0, items.findLastIndex(isProved)).filter((item) => !isProved(item)).length;
}

describe("two screens of one player, each on its own display", () => {
  it.each(SCREENS)("show exactly what is meant for %s, nothing black or foreign in between", (screenId) => {
    const expected = shownItems(spots[screenId]).map(({ creative }) => creative);
    const seen = (sightings.get(screenId) ?? []).map(({ sight }) => sight);
    const first = seen.indexOf(expected[0] ?? "");
    expect(seen.slice(first, first + expected.length)).toEqual(expected);
  });

  it.each(SCREENS)("prove every item of %s once", async (screenId) => {
    const planned = (await rig.emulator.ledger(screenId)).slice(0, spots[screenId].length);
    const verdicts = planned.flatMap(itemsOf).map(({ pops }) => pops.map(({ verdict }) => verdict));
    expect(verdicts).toEqual(shownItems(spots[screenId]).map(() => ["counted"]));
  });

  it("are told of one by one, each with its picture", async () => {
    const health = await readHealth(rig.home);
    expect(health?.screens?.map(({ screenId, status }) => [screenId, status])).toEqual(SCREENS.map((id) => [id, "ok"]));
    expect(health?.status).toBe("ok");
  });
});

describe("a display that is switched off", () => {
  it("takes its screen with it, and nothing else: no proof, no spots, until it is back", async () => {
    const [onLeft, onRight] = await Promise.all([recordPart(0), recordPart(1)]);
    await onAir(RIGHT);
    wall.turn(1, null);
    await out(RIGHT);
    const before = await accountOf(RIGHT);
    await meanwhile(LEFT);
    expect(await accountOf(RIGHT)).toEqual(before);
    wall.turn(1, `${PART.width}x${PART.height}`);
    await provesOn(RIGHT);
    expect([await gaps(LEFT), (await gaps(RIGHT)) > 0, (await gaps(RIGHT)) <= MOST_LOST]).toEqual([0, true, true]);
    const left = sightingsIn(await onLeft.stop(), eye);
    const right = sightingsIn(await onRight.stop(), eye);
    const spoilt = (one: Sighting) => SPOILT.includes(one.sight);
    // A display that is switched off is black.
    expect([left.filter(spoilt), right.filter((one) => spoilt(one) && one.sight !== BLACK)]).toEqual([[], []]);
  }, 120_000);

  it("may become larger: what was on air then is not proved, and what is shown fills it", async () => {
    await onAir(RIGHT);
    const before = await gaps(RIGHT);
    wall.turn(1, `${ROOM.width}x${ROOM.height}`);
    await provesOn(RIGHT);
    expect((await gaps(RIGHT)) > before).toBe(true);
    const recording = await recordPart(1, ROOM);
    await provesOn(RIGHT);
    const seen = sightingsIn(await recording.stop(), eye);
    expect(seen.filter(({ sight }) => SPOILT.includes(sight))).toEqual([]);
  }, 120_000);

  it("leaves nothing to ask for when it is the last one", async () => {
    wall.turn(0, null);
    wall.turn(1, null);
    await Promise.all(SCREENS.map(out));
    wall.turn(0, `${PART.width}x${PART.height}`);
    await provesOn(LEFT);
    expect((await screenHealth(RIGHT))?.onAir).toBe("nothing");
    wall.turn(1, `${PART.width}x${PART.height}`);
    await provesOn(RIGHT);
  }, 120_000);
});

describe("a window that somebody else withdraws", () => {
  it("proves nothing of what was on air, comes back by itself and plays on", async () => {
    await onAir(LEFT);
    const before = await gaps(LEFT);
    const told = SCREENS.map(unseenTimes);
    for (const window of wall.xdotool("search", "--name", "^Spotloop$").trim().split("\n")) {
      wall.xdotool("windowunmap", window);
    }
    const isTold = () => SCREENS.every((id, index) => unseenTimes(id) > (told[index] ?? 0)) || undefined;
    await eventually("both screens' word that nobody sees them", isTold);
    await Promise.all(SCREENS.map(provesOn));
    expect(await gaps(LEFT)).toBeGreaterThan(before);
    expect(await gaps(LEFT)).toBeLessThanOrEqual(before + MOST_LOST);
  }, 120_000);
});

describe("the operator's hotkey", () => {
  it("opens the operator overlay where the pointer is, over what is on air, which is not proved; and closes it", async () => {
    wall.xdotool("mousemove", "10", "10");
    await onAir(LEFT);
    const before = await gaps(LEFT);
    wall.xdotool("key", HOTKEY);
    await out(LEFT);
    await eventually("the page", async () => ((await sightNow(0)) === FOREIGN ? true : undefined));
    const held = await accountOf(LEFT);
    await meanwhile(RIGHT);
    expect(await accountOf(LEFT)).toEqual(held);
    wall.xdotool("key", HOTKEY);
    await provesOn(LEFT);
    expect(await gaps(LEFT)).toBeGreaterThan(before);
  }, 120_000);

  it("does nothing where it is not allowed", async () => {
    expect(await player.stop()).toBe(0);
    player = rig.play(["--config", rig.configure()]);
    await provesOn(LEFT);
    const before = await gaps(LEFT);
    wall.xdotool("key", HOTKEY);
    await provesOn(LEFT);
    expect([await gaps(LEFT), await player.stop()]).toEqual([before, 0]);
  }, 120_000);
});
