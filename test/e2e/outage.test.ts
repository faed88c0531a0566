import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { HOUSE, openEye } from "../support/display/eye.ts";
import { conclusive, inOrder, type Punctuality, punctualityOf } from "../support/display/punctuality.ts";
import { FRAME_MS, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const spots = plannedSpots(catalogue, 2);
const expected = shownItems(spots);
/** Three frames, and a quarter of one for the stamps. */
const LENGTH_MS = 3.25 * FRAME_MS;
const SEEN_WITHIN_MS = 500;

let rig: Rig;
let player: Running;
let sightings: readonly Sighting[];
let punctuality: Punctuality;

beforeAll(async () => {
  punctuality = await conclusive("outage", play, () => rig.close());
}, 240_000);

async function play(): Promise<Punctuality> {
  // Small: what is judged is when things are seen, and both drawing and watching are done by the processor here.
  rig = await openRig({ width: 640, height: 360 });
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  player = rig.play(["--config", rig.configure()]);
  const stalls = watchStalls(player, rig.display);
  const ready = async () =>
    (await rig.emulator.ledger())[1]?.ad?.media.some(({ complete }) => complete) ? true : undefined;
  await eventually("the second spot's media", ready);
  await eventually("the page with all it loads", pageIsWhole);
  await rig.emulator.stop("SIGKILL");
  const owed = async () => ((await readHealth(rig.home))?.proofs.owed === expected.length ? true : undefined);
  await eventually("all proofs to be owed", owed);
  // What the health page says is on the display, and recorded, some frames later.
  await eventually("house content", async () =>
    typeof (await readHealth(rig.home))?.onAir === "string" ? true : undefined,
  );
  await pause(SEEN_WITHIN_MS);
  const stalled = await stalls.stop();
  const recorded = await recording.stop();
  sightings = sightingsIn(recorded, eye);
  return punctualityOf(inOrder(sightings, expected, LENGTH_MS), heldUp(stalled, recorded.instants));
}

afterAll(() => rig?.close());

/** The first spot's page is recorded while it is cued; it is whole once it is ready and nothing more is asked for. */
async function pageIsWhole(): Promise<true | undefined> {
  const health = await readHealth(rig.home);
  const page = expected[1]?.creative;
  const loaded = health?.next?.id === page || (typeof health?.onAir === "object" && health.onAir.id === page);
  const before = await mediaCalls();
  await pause(300);
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
    expect(punctuality.wrong).toEqual([]);
  });

  it("leaves the proofs owed, not lost, and the player alive", async () => {
    const health = await readHealth(rig.home);
    expect(health?.proofs).toMatchObject({ owed: expected.length, delivered: 0, refused: 0, expired: 0 });
    expect(await player.stop()).toBe(0);
  });
});
