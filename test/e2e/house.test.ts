import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { HouseFolderOnDisk } from "../support/creatives/house.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { BLACK, HOUSE, openEye, type Sight, SPOILT, WHITE } from "../support/display/eye.ts";
import { GRID, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { renderersOf } from "../support/machine/proc.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();

/** From the first sight of house content on, which is the slate: it may be there for a frame only. */
function fromHouse(sightings: readonly Sighting[]): readonly Sighting[] {
  const first = sightings.findIndex(({ sight }) => !SPOILT.includes(sight));
  return sightings.slice(first);
}

/** What nobody is ever to see once house content is there. */
function spoilt(sightings: readonly Sighting[]): readonly Sighting[] {
  return fromHouse(sightings).filter(({ sight }) => SPOILT.includes(sight));
}

function isItem(sight: Sight): boolean {
  return catalogue.creatives.some(({ name }) => name === sight);
}

function sights(sightings: readonly Sighting[]): readonly string[] {
  return sightings.map(({ sight }) => sight);
}

describe("the operator's folder, on a screen without service, network or names", () => {
  const lap = ["news-headlines", "ad-coffee", "ad-cycling", "ad-festival", "news-culture"];
  let rig: Rig;
  let before: readonly Sighting[];
  let crashed: readonly Sighting[];
  let log: readonly string[];

  beforeAll(async () => {
    rig = await openRig({ width: 640, height: 360 });
    const house = new HouseFolderOnDisk(rig.home);
    house.put("1.jpg", "news-headlines.jpg");
    house.put("2.mp4", "ad-coffee.mp4");
    house.put("3.html", "ad-cycling.html");
    house.put("4", "ad-festival");
    house.put("5.webp", "news-culture.webp");
    writeFileSync(join(house.path, "4-broken.png"), "not a picture at all");
    writeFileSync(join(house.path, "notes.txt"), "skipped");
    const baseUrl = "http://nowhere.invalid";
    const config = rig.configure({ baseUrl, house: { dir: "house", seconds: 1.5 } });
    const watch = await watchDisplay(rig.display, eye);
    const player = rig.play(["--config", config]);
    await watch.until(([...lap, lap[0]] as string[]).map((sight) => (seen) => seen === sight));
    house.put("6.png", "ad-bakery.png");
    rmSync(join(house.path, "1.jpg"));
    await watch.until([(seen) => seen === "ad-bakery", (seen) => seen === "ad-coffee"]);
    before = sightingsIn(await watch.stop(), eye);

    const after = await watchDisplay(rig.display, eye);
    await after.until([isItem]);
    for (const { pid } of renderersOf(player.pid)) process.kill(pid, "SIGKILL");
    await after.until([(sight) => !isItem(sight), isItem]);
    crashed = sightingsIn(await after.stop(), eye);
    log = player.stderr;
  }, 180_000);

  afterAll(() => rig?.close());

  it("is shown in turn after the slate, image, clip, page and folder, with nothing in between", () => {
    expect(spoilt(before)).toEqual([]);
    const seen = sights(fromHouse(before));
    const from = seen[0] === HOUSE ? 1 : 0;
    expect(seen.slice(from, from + lap.length)).toEqual(lap);
  });

  it("leaves a clip its whole length", () => {
    const clip = before.find(({ sight }) => sight === "ad-coffee");
    expect(clip?.lengthMs).toBeGreaterThanOrEqual(5_000 - 100);
  });

  it("shows what was added while it ran, and no more what was removed", () => {
    const seen = sights(before);
    expect(seen.slice(seen.indexOf("ad-bakery"))).toEqual(["ad-bakery", "ad-coffee"]);
  });

  it("is said in the log to hold a broken file and one that is skipped, once", () => {
    expect(log.filter((line) => line.includes("4-broken.png")).length).toBe(1);
    expect(log.filter((line) => line.includes("notes.txt")).length).toBe(1);
  });

  it("is there again after its page crashed, without a black or white frame", () => {
    expect(crashed.filter(({ sight }) => sight === BLACK || sight === WHITE)).toEqual([]);
    expect(isItem(crashed.at(-1)?.sight ?? BLACK)).toBe(true);
  });
});

/** Long enough for two of its items. */
const GAP_MS = 3_000;

describe("the gaps between spots", () => {
  const spots = plannedSpots(catalogue, 2);
  const items = shownItems(spots).map(({ creative }) => creative);
  let rig: Rig;
  const house = ["ad-sneakers", "ad-cycling"];
  let seen: readonly Sighting[];

  beforeAll(async () => {
    rig = await openRig({ width: 640, height: 360 });
    const folder = new HouseFolderOnDisk(rig.home);
    folder.put("clip.mp4", "ad-sneakers.mp4");
    folder.put("page.html", "ad-cycling.html");
    await rig.emulator.next(spots);
    // The first spot, then none until its items are over and house content is there, then the second.
    await rig.emulator.control("PUT", "/control/faults", [
      { match: { surface: "service", route: "spot" }, skip: 1, do: { empty: true } },
    ]);
    const watch = await watchDisplay(rig.display, eye);
    rig.play(["--config", rig.configure({ house: { dir: "house", seconds: 2 } })]);
    await eventually("the first spot", () => proved(1), 60_000);
    await new Promise((resolve) => setTimeout(resolve, GAP_MS));
    await rig.emulator.control("PUT", "/control/faults", []);
    await eventually("the second spot", () => proved(2), 60_000);
    seen = sightingsIn(await watch.stop(), eye);

    async function proved(count: number): Promise<true | undefined> {
      const ledger = await rig.emulator.ledger();
      const own = ledger.slice(0, count).flatMap(({ news, ad }) => [news, ad]);
      return own.length === 2 * count && own.every((item) => item?.pops.length === 1) ? true : undefined;
    }
  }, 150_000);

  afterAll(() => rig?.close());

  it("show house content at once, with nothing black, white or foreign in between", () => {
    expect(spoilt(seen)).toEqual([]);
    const shown = sights(fromHouse(seen));
    const own = shown.slice(shown.indexOf(items[0] as string), shown.indexOf(items[3] as string) + 1);
    expect(own.filter((sight) => items.includes(sight))).toEqual(items);
    const gap = own.slice(own.indexOf(items[1] as string) + 1, own.indexOf(items[2] as string));
    expect(gap.length).toBeGreaterThan(0);
    expect(gap.filter((sight) => ![...house, HOUSE].includes(sight))).toEqual([]);
  });
});

describe("the slate of a portrait screen", () => {
  let rig: Rig;
  let frame: Buffer;

  beforeAll(async () => {
    rig = await openRig({ width: 360, height: 640 });
    const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height, GRID);
    rig.play(["--config", rig.configure({ baseUrl: "http://nowhere.invalid" })]);
    await eventually("the player", () => readHealth(rig.home));
    frame = (await recording.stop()).frames.at(-1) as Buffer;
  });

  afterAll(() => rig?.close());

  it("is as wide and as high as the screen, brighter above and darker below, and has its mark in the middle", () => {
    const blue = (column: number, row: number) => frame[(row * GRID.columns + column) * 3 + 2] ?? 0;
    const red = (column: number, row: number) => frame[(row * GRID.columns + column) * 3] ?? 0;
    expect(blue(1, 0)).toBeGreaterThan(80);
    expect(blue(15, 8)).toBeGreaterThan(35);
    expect(blue(15, 8)).toBeLessThan(70);
    expect(red(7, 4)).toBeGreaterThan(100);
  });
});
