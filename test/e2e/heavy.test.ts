import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlannedSpot, WholeItem } from "../../src/emulator/spot/planned.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { type HeavyCreatives, serveHeavyCreatives } from "../support/creatives/heavy-creatives.ts";
import { plannedItem, shownItems } from "../support/creatives/running-order.ts";
import { openEye } from "../support/display/eye.ts";
import { holdsIn } from "../support/display/motion.ts";
import { conclusive, type Punctuality, punctualityOf, timed } from "../support/display/punctuality.ts";
import { FRAME_MS, type Frames, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, type Stall, stalledMsIn, watchStalls } from "../support/display/stalls.ts";
import type { LedgerSpot } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();

/** All drawing is done by the processor here, and these creatives take as much of it as they can get. */
const WITHIN_MS = 100;
/** How much longer than its own time a clip's first or last picture may stay: two frames, and a quarter for the stamps. */
const HELD_MS = 2.25 * FRAME_MS;

let rig: Rig;
let heavy: HeavyCreatives;
let spots: readonly PlannedSpot[];
let recorded: Frames;
let sightings: readonly Sighting[];
let ledger: readonly LedgerSpot[];
let stalls: readonly Stall[];
let punctuality: Punctuality;

beforeAll(async () => {
  punctuality = await conclusive("heavy", play, close);
}, 240_000);

afterAll(close);

async function close(): Promise<void> {
  await heavy?.close();
  await rig?.close();
}

async function play(): Promise<Punctuality> {
  rig = await openRig({ width: 640, height: 360 });
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
  const player = rig.play(["--config", rig.configure()]);
  const watch = watchStalls(player, rig.display);
  const stalled = await watch.until("the proofs of all planned spots", proved, 60_000);
  recorded = await recording.stop();
  stalls = heldUp(stalled, recorded.instants);
  sightings = itemsOnly(sightingsIn(recorded, eye));
  const durationsMs = shownItems(spots).map(({ durationMs }) => durationMs);
  return punctualityOf(timed(sightings, durationsMs, WITHIN_MS), stalls);
}

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
    expect(punctuality.wrong).toEqual([]);
  });

  it("are proved once each", () => {
    const pops = ledger.flatMap(({ news, ad }) => [news, ad].map((item) => item?.pops.map(({ verdict }) => verdict)));
    expect(pops).toEqual(pops.map(() => ["counted"]));
  });

  it("leave clips moving from their first picture to their last", () => {
    const clips = sightings.flatMap((sighting, index) => {
      const creative = catalogue.creatives.find(({ name }) => name === sighting.sight);
      const isShort = spots[Math.floor(index / 2)]?.ad === heavy.items.short && index % 2 === 1;
      if (!creative?.framesPerSecond || isShort) return [];
      const { firstMs, lastMs } = holdsIn(recorded, sighting, creative, catalogue);
      const endAt = sighting.startAt + sighting.lengthMs;
      const heldMs = {
        first: firstMs - stalledMsIn(stalls, sighting.startAt, sighting.startAt + firstMs),
        last: lastMs - stalledMsIn(stalls, endAt - lastMs, endAt),
      };
      return [{ sight: sighting.sight, heldMs: Math.max(heldMs.first, heldMs.last) - 1000 / creative.framesPerSecond }];
    });
    expect(clips.length).toBeGreaterThanOrEqual(5);
    expect(clips.filter(({ heldMs }) => heldMs > HELD_MS)).toEqual([]);
  });
});
