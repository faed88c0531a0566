import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { openEye } from "../support/display/eye.ts";
import { PART, ROOM, startWall, type Wall } from "../support/display/wall.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const creatives = catalogue.creatives.map(({ name }) => name);
const eye = await openEye();
const [SMALL, LARGE] = [PART, ROOM].map(({ width, height }) => `${width}x${height}`) as [string, string];

let wall: Wall;
let rig: Rig;

beforeAll(async () => {
  wall = await startWall();
  rig = await openRig({ start: async () => wall });
  await rig.emulator.next(plannedSpots(catalogue, 40));
  // The left one cannot be turned: its driver has no such thing.
  const screens = [
    { screenId: "screen_kiosk", display: { match: "DUMMY0", rotate: 90 } },
    { screenId: rig.emulator.screenId, display: { match: "DUMMY1", mode: LARGE } },
  ];
  rig.play(["--config", rig.configure({ screenId: undefined, screens })]);
});

afterAll(() => rig?.close());

/** Waits until the right display has its mode, and shows items in all of it. */
async function playsLarge(): Promise<void> {
  // A program that gives no answer, as on a busy machine, is asked again a minute later.
  await eventually("the mode", () => (wall.mode(1) === LARGE ? true : undefined), 90_000);
  const watch = await watchDisplay({ ...wall, ...ROOM, name: wall.part(1) }, eye);
  const isItem = (sight: string) => creatives.includes(sight);
  await watch.until([isItem, isItem]);
  await watch.stop();
}

describe("the displays of a player that plays", () => {
  it("are set up as they are wanted, and filled", playsLarge);

  it("are set up again when they come back otherwise", async () => {
    wall.turn(1, null);
    wall.turn(1, SMALL);
    await playsLarge();
  });

  it("that cannot be so are left as they are, which health tells and the log", async () => {
    const screens = await eventually("health", async () => (await readHealth(rig.home))?.screens);
    expect(screens.map(({ displayTrouble }) => displayTrouble)).toEqual([
      expect.stringContaining("DUMMY0 does not take rotate 90"),
      null,
    ]);
    expect(wall.mode(0)).toBe(SMALL);
  });
});
