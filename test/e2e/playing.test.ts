import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/catalogue.ts";
import { processTree } from "../support/proc.ts";
import { eventually, type LedgerSpot, type Running } from "../support/processes.ts";
import { recordDisplay } from "../support/recording.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { plannedSpots, shownItems } from "../support/running-order.ts";
import { BLACK, EMPTY, HOUSE, type Sighting, sightingsIn } from "../support/sightings.ts";
import { watchStalls } from "../support/stalls.ts";

const catalogue = readCatalogue();
/** Every form beside every other, both orders, lengths from 2 to 3.5 s: 34 items. */
const spots = plannedSpots(catalogue, 17);
const expected = shownItems(spots);

let rig: Rig;
let player: Running;
let sightings: readonly Sighting[];
let items: readonly Sighting[];
let ledger: readonly LedgerSpot[];
let tree: ReturnType<typeof processTree>;
let recordedFrom: number;
/** How long the machine stood still meanwhile, for everybody: 0 where it had time to spare. */
let stalledMs: number;

beforeAll(async () => {
  // Small: what is judged is when things are seen, and both drawing and watching are done by the processor here.
  rig = await openRig({ width: 960, height: 540 });
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  recordedFrom = Date.now();
  const stalls = watchStalls();
  player = rig.play(["--config", rig.configure()]);
  await eventually("the proofs of all planned spots", provenLedger, 180_000);
  tree = processTree(player.pid);
  stalledMs = await stalls.stop();
  sightings = sightingsIn(await recording.stop(), catalogue);
  items = itemsOnly(sightings);
}, 240_000);

afterAll(() => rig?.close());

async function provenLedger(): Promise<true | undefined> {
  ledger = (await rig.emulator.ledger()).slice(0, spots.length);
  const proved = ledger.length === spots.length && ledger.every(({ news, ad }) => news?.pops.length && ad?.pops.length);
  return proved ? true : undefined;
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

  it("have nothing before the first item but the empty window and, where there is time for it, house content", () => {
    const before = sightings.slice(0, sightings.indexOf(items[0] as Sighting)).map(({ sight }) => sight);
    const lit = before.slice(before.lastIndexOf(BLACK) + 1);
    expect([[EMPTY, HOUSE], [EMPTY], [HOUSE], []]).toContainEqual(lit);
    expect(before.slice(0, -lit.length || undefined)).toEqual([BLACK]);
  });

  it("show every item for its duration, within 50 ms", () => {
    const errors = items.map(({ lengthMs }, index) => Math.abs(lengthMs - (expected[index]?.durationMs ?? 0)));
    expect(errors.filter((error) => error > 50 + stalledMs)).toEqual([]);
  });

  it("do not drift: less than 100 ms over all items", () => {
    const plannedMs = expected.slice(0, -1).reduce((sum, { durationMs }) => sum + durationMs, 0);
    const first = items[0]?.startS ?? 0;
    const last = items.at(-1)?.startS ?? 0;
    expect(Math.abs((last - first) * 1000 - plannedMs)).toBeLessThan(100 + stalledMs);
  });

  it("are proved exactly once each, after their end and within the hour", () => {
    const pops = ledger.flatMap(({ newsFirst, news, ad }) => (newsFirst ? [news, ad] : [ad, news]));
    expect(pops.map((item) => item?.pops.map(({ verdict, status }) => [verdict, status]))).toEqual(
      expected.map(() => [["counted", 200]]),
    );
    pops.forEach((item, index) => {
      const sighting = items[index] as Sighting;
      const endedAt = recordedFrom + sighting.startS * 1000 + sighting.lengthMs;
      // The recording's beginning on the wall clock is known to about a tenth of a second.
      expect(Date.parse(item?.pops[0]?.at ?? "")).toBeGreaterThan(endedAt - 200);
    });
  });

  it("run as an ordinary user with every renderer in Chromium's sandbox", () => {
    const renderers = tree.filter(({ command }) => command.includes("--type=renderer"));
    expect(renderers.length).toBeGreaterThanOrEqual(2);
    for (const { uid, seccomp } of renderers) expect([uid > 0, seccomp]).toEqual([true, 2]);
    expect(tree.some(({ command }) => command.includes("--no-sandbox"))).toBe(false);
  });

  it("end with 0 when the player is asked to stop", async () => {
    expect(await player.stop()).toBe(0);
  });
});
