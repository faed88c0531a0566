import { afterAll, beforeAll, expect, it } from "vitest";
import { type Creative, readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye, type Sight, SPOILT } from "../support/display/eye.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { PART, ROOM, startWall, type Wall } from "../support/display/wall.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const [creative] = catalogue.creatives;
const eye = await openEye();
const isItem = (sight: Sight) => catalogue.creatives.some(({ name }) => name === sight);
/** Time for the other size, and to draw at it. */
const ITEM_MS = 4_000;

let wall: Wall;
let rig: Rig;

beforeAll(async () => {
  wall = await startWall();
  rig = await openRig({ start: async () => wall });
  rig.play(["--config", rig.configure({ display: { match: 2 } })]);
});

afterAll(() => rig?.close());

/** Has one item played, and nothing after it. */
async function playOnce(): Promise<void> {
  await rig.emulator.next([{ news: plannedItem(creative as Creative, ITEM_MS), ad: null }]);
  await rig.emulator.control("PUT", "/control/faults", [
    { match: { surface: "service", route: "spot" }, skip: 1, do: { empty: true } },
  ]);
}

// Seldom seen in one go: for a frame or two on a machine that has nothing else to do.
it("a display that becomes another size under an item has house content whole when that ends", async () => {
  for (const size of [ROOM, PART, ROOM]) {
    await playOnce();
    await eventually("an item", async () => typeof (await readHealth(rig.home))?.onAir === "object" || undefined);
    wall.turn(1, `${size.width}x${size.height}`);
    const watch = await watchDisplay({ ...wall, ...size, name: wall.part(1) }, eye);
    await watch.until([isItem, (sight) => sight === HOUSE]);
    const seen = sightingsIn(await watch.stop(), eye);
    const item = seen.findIndex(({ sight }) => isItem(sight));
    expect(seen.slice(item).filter(({ sight }) => SPOILT.includes(sight))).toEqual([]);
  }
}, 180_000);
