import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlannedSpot, WholeItem } from "../../src/emulator/spot/planned.ts";
import { readCatalogue } from "../support/catalogue.ts";
import { type HeavyCreatives, serveHeavyCreatives } from "../support/heavy-creatives.ts";
import { holdsIn } from "../support/motion.ts";
import { eventually, type LedgerSpot } from "../support/processes.ts";
import { FRAMES_PER_SECOND, recordDisplay } from "../support/recording.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { plannedItem, shownItems } from "../support/running-order.ts";
import { type Sighting, sightingsIn } from "../support/sightings.ts";
import { watchStalls } from "../support/stalls.ts";

const catalogue = readCatalogue();

/** All drawing is done by the processor here, and these creatives take as much of it as they can get. */
const WITHIN_MS = 100;

let rig: Rig;
let heavy: HeavyCreatives;
let spots: readonly PlannedSpot[];
let frames: readonly Buffer[];
let sightings: readonly Sighting[];
let ledger: readonly LedgerSpot[];
/** How long the machine stood still meanwhile, for everybody. */
let stalledMs: number;

beforeAll(async () => {
  rig = await openRig({ width: 960, height: 540 });
  heavy = await serveHeavyCreatives(rig.home);
  const { huge, blocking, busy, short } = heavy.items;
  spots = [
    pair(sample("news-transit"), blocking),
    pair(huge, sample("ad-sneakers")),
    pair(sample("news-sport"), short),
    pair(huge, blocking),
    pair(sample("news-culture"), busy),
    pair(sample("news-transit"), sample("ad-coffee")),
  ];
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  const stalls = watchStalls();
  rig.play(["--config", rig.configure()]);
  await eventually("the proofs of all planned spots", proved, 60_000);
  stalledMs = await stalls.stop();
  const recorded = await recording.stop();
  frames = recorded.frames;
  sightings = itemsOnly(sightingsIn(recorded, catalogue));
}, 120_000);

afterAll(async () => {
  await heavy?.close();
  await rig?.close();
});

function sample(name: string): WholeItem {
  const creative = catalogue.creatives.find((one) => one.name === name);
  if (creative === undefined) throw new Error(`no sample ${name}`);
  return plannedItem(creative, 2_000);
}

function pair(news: WholeItem, ad: WholeItem): PlannedSpot {
  return { newsFirst: true, billable: true, news, ad };
}

async function proved(): Promise<true | undefined> {
  ledger = (await rig.emulator.ledger()).slice(0, spots.length);
  const all = ledger.length === spots.length && ledger.every(({ news, ad }) => news?.pops.length && ad?.pops.length);
  return all ? true : undefined;
}

function itemsOnly(all: readonly Sighting[]): readonly Sighting[] {
  const first = all.findIndex(({ sight }) => sight === "news-transit");
  return all.slice(first, first + shownItems(spots).length);
}

describe("creatives that are hard to show, between others", () => {
  it("come and go without a black, white or foreign frame: 8K pictures, pages that block, busy pages, short clips", () => {
    expect(sightings.map(({ sight }) => sight)).toEqual(shownItems(spots).map(({ creative }) => creative));
  });

  it("are in sight for their duration, the short clip on its last picture (F17)", () => {
    const errors = sightings.map(({ lengthMs }, index) =>
      Math.abs(lengthMs - (shownItems(spots)[index]?.durationMs ?? 0)),
    );
    expect(errors.filter((error) => error > WITHIN_MS + stalledMs)).toEqual([]);
  });

  it("are proved once each", () => {
    const pops = ledger.flatMap(({ news, ad }) => [news, ad].map((item) => item?.pops.map(({ verdict }) => verdict)));
    expect(pops).toEqual(pops.map(() => ["counted"]));
  });

  it("leave clips moving from their first picture to their last", () => {
    const clips = sightings.flatMap(({ sight, firstFrame, frames: count }, index) => {
      const creative = catalogue.creatives.find(({ name }) => name === sight);
      const isShort = spots[Math.floor(index / 2)]?.ad === heavy.items.short && index % 2 === 1;
      if (!creative?.framesPerSecond || isShort) return [];
      const { first, last } = holdsIn(frames.slice(firstFrame, firstFrame + count), creative, catalogue);
      return [{ sight, held: Math.max(first, last) - FRAMES_PER_SECOND / creative.framesPerSecond }];
    });
    const allowed = 2 + (stalledMs * FRAMES_PER_SECOND) / 1000;
    expect(clips.length).toBeGreaterThanOrEqual(5);
    expect(clips.filter(({ held }) => held > allowed)).toEqual([]);
  });
});
