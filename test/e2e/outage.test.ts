import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/catalogue.ts";
import { readHealth } from "../support/health.ts";
import { eventually, type Running } from "../support/processes.ts";
import { recordDisplay } from "../support/recording.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { plannedSpots, shownItems } from "../support/running-order.ts";
import { HOUSE, type Sighting, sightingsIn } from "../support/sightings.ts";
import { watchStalls } from "../support/stalls.ts";

const catalogue = readCatalogue();
const spots = plannedSpots(catalogue, 2);
const expected = shownItems(spots);

let rig: Rig;
let player: Running;
let sightings: readonly Sighting[];
/** How long the machine stood still meanwhile, for everybody: 0 where it had time to spare. */
let stalledMs: number;

beforeAll(async () => {
  // Small: what is judged is when things are seen, and both drawing and watching are done by the processor here.
  rig = await openRig({ width: 960, height: 540 });
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  const stalls = watchStalls();
  player = rig.play(["--config", rig.configure()]);
  const ready = async () =>
    (await rig.emulator.ledger())[1]?.ad?.media.some(({ complete }) => complete) ? true : undefined;
  await eventually("the second spot's media", ready);
  await eventually("the page with all it loads", pageIsWhole);
  await rig.emulator.stop("SIGKILL");
  const owed = async () => ((await readHealth(rig.home))?.proofs.owed === expected.length ? true : undefined);
  await eventually("all proofs to be owed", owed);
  stalledMs = await stalls.stop();
  sightings = sightingsIn(await recording.stop(), catalogue);
}, 120_000);

afterAll(() => rig?.close());

/** The first spot's page is recorded while it is cued; it is whole once it is ready and nothing more is asked for. */
async function pageIsWhole(): Promise<true | undefined> {
  const health = await readHealth(rig.home);
  const page = expected[1]?.creative;
  const loaded = health?.next?.id === page || (typeof health?.onAir === "object" && health.onAir.id === page);
  const before = await mediaCalls();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return loaded && before === (await mediaCalls()) ? true : undefined;
}

async function mediaCalls(): Promise<number> {
  const response = await fetch(`${rig.emulator.controlUrl}/control/journal?limit=1000`);
  const calls = (await response.json()) as { listener: string; path: string }[];
  return calls.filter(({ listener, path }) => listener === "media" && path.startsWith("/creatives/")).length;
}

describe("a network that dies once a spot is ready", () => {
  it("does not disturb what is on screen: both spots play to their end, then house content", () => {
    const first = sightings.findIndex(({ sight }) => sight === expected[0]?.creative);
    const seen = sightings.slice(first).map(({ sight }) => sight);
    expect(seen).toEqual([...expected.map(({ creative }) => creative), HOUSE]);
  });

  it("leaves every item its duration", () => {
    const lengths = sightings.filter(({ sight }) => sight !== HOUSE).slice(-expected.length);
    lengths.forEach(({ lengthMs }, index) => {
      expect(Math.abs(lengthMs - (expected[index]?.durationMs ?? 0))).toBeLessThanOrEqual(50 + stalledMs);
    });
  });

  it("leaves the proofs owed, not lost, and the player alive", async () => {
    const health = await readHealth(rig.home);
    expect(health?.proofs).toMatchObject({ owed: expected.length, delivered: 0, refused: 0, expired: 0 });
    expect(await player.stop()).toBe(0);
  });
});
