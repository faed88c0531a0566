import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { BLACK, HOUSE, openEye } from "../support/display/eye.ts";
import { conclusive, inOrder, type Punctuality, punctualityOf } from "../support/display/punctuality.ts";
import { FRAME_MS, monotonicMs, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { processTree } from "../support/machine/proc.ts";
import type { LedgerSpot, Running } from "../support/machine/processes.ts";
import { sandboxedRenderers } from "../support/machine/sandbox.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
/** Every form beside every other, both orders, lengths from 1.5 to 3 s: 34 items. */
const spots = plannedSpots(catalogue, 17, { shortestMs: 1_500, stepMs: 250 });
const expected = shownItems(spots);
/** Three frames, and a quarter of one for the stamps. */
const LENGTH_MS = 3.25 * FRAME_MS;
/** An item is seen this much later than the player knew it painted at most, stalls included. */
const SEEN_LATE_MS = 200;

let rig: Rig;
let player: Running;
let sightings: readonly Sighting[];
let items: readonly Sighting[];
let ledger: readonly LedgerSpot[];
let punctuality: Punctuality;

beforeAll(async () => {
  punctuality = await conclusive("playing", play, () => rig.close());
}, 500_000);

async function play(): Promise<Punctuality> {
  // Small: what is judged is when things are seen, and both drawing and watching are done by the processor here.
  rig = await openRig({ width: 640, height: 360 });
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  player = rig.play(["--config", rig.configure()]);
  const stalls = watchStalls(player, rig.display);
  const stalled = await stalls.until("the end and the proofs of all planned items", ended, 180_000);
  const recorded = await recording.stop();
  sightings = sightingsIn(recorded, eye);
  items = itemsOnly(sightings);
  return punctualityOf(inOrder(sightings, expected, LENGTH_MS), heldUp(stalled, recorded.instants));
}

afterAll(() => rig?.close());

/** Once as many items ended as are planned, proofs are waited for of those that were shown. */
async function ended(): Promise<true | undefined> {
  const endings = player.stderr.filter((line) => / item (?:shown|failed) /.test(line)).slice(0, expected.length);
  const shown = endings.filter((line) => line.includes(" item shown ")).length;
  ledger = (await rig.emulator.ledger()).slice(0, spots.length);
  const proved = ledger.flatMap(({ news, ad }) => [news, ad]).filter((item) => item?.pops.length).length;
  return endings.length === expected.length && proved >= shown ? true : undefined;
}

/** From the first item to the last planned one. */
function itemsOnly(all: readonly Sighting[]): readonly Sighting[] {
  const first = all.findIndex(({ sight }) => sight === expected[0]?.creative);
  return all.slice(first, first + expected.length);
}

describe("real spots on a real screen, watched from outside at 60 frames a second", () => {
  it("show nothing black, white or foreign between items, in exact order", () => {
    expect(items.map(({ sight }) => sight)).toEqual(expected.map(({ creative }) => creative));
  });

  it("have nothing before the first item but the black display and, where there is time for it, house content", () => {
    const before = sightings.slice(0, sightings.indexOf(items[0] as Sighting)).map(({ sight }) => sight);
    expect([[BLACK, HOUSE], [BLACK]]).toContainEqual(before);
  });

  it("show every item for its duration, within 50 ms", () => {
    expect(punctuality.wrong).toEqual([]);
  });

  it("do not drift: less than 100 ms over all items", () => {
    expect(punctuality.driftMs).toBeLessThan(100);
  });

  it("are proved exactly once each, after their end and within the hour", () => {
    const pops = ledger.flatMap(({ newsFirst, news, ad }) => (newsFirst ? [news, ad] : [ad, news]));
    expect(pops.map((item) => item?.pops.map(({ verdict, status }) => [verdict, status]))).toEqual(
      expected.map(() => [["counted", 200]]),
    );
    const wallOffsetMs = Date.now() - monotonicMs();
    pops.forEach((item, index) => {
      const { startAt } = items[index] as Sighting;
      const endAt = wallOffsetMs + startAt + (expected[index]?.durationMs ?? 0);
      expect(Date.parse(item?.pops[0]?.at ?? "")).toBeGreaterThan(endAt - SEEN_LATE_MS);
    });
  });

  it("run as an ordinary user with every renderer in Chromium's sandbox", async () => {
    expect(await sandboxedRenderers(player.pid)).toBeGreaterThanOrEqual(2);
    expect(processTree(player.pid).some(({ command }) => command.includes("--no-sandbox"))).toBe(false);
  });

  it("end with 0 when the player is asked to stop", async () => {
    expect(await player.stop()).toBe(0);
  });
});
