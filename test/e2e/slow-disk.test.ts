import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { HOUSE, openEye } from "../support/display/eye.ts";
import { conclusive, inOrder, type Punctuality, punctualityOf } from "../support/display/punctuality.ts";
import { recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { nodeThreads } from "../support/machine/proc.ts";
import { eventually, letGo, onALeash } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** How long a worn memory card may take to write something for good. */
const WRITE_MS = 1_000;
/** Three frames at 60 Hz; with one write that the screen waits for an item would be off by sixty. */
const LENGTH_MS = 50;
const SPOTS = 4;
/** What the service answers after them. */
const NOTHING_MORE = Array.from({ length: 20 }, () => ({ news: null, ad: null }));
/**
 * In its first seconds a player notes once how it started, and pages that are new to it get their parts while they are in sight:
 * what is seen of these items is not judged.
 */
const STARTING = 2;
/** The last item is over for so long when its proof has come. */
const SEEN_WITHIN_MS = 500;

const catalogue = readCatalogue();
const eye = await openEye();
const spots = plannedSpots(catalogue, SPOTS);
const expected = shownItems(spots);
const judged = expected.slice(STARTING);

let rig: Rig;
let sightings: readonly Sighting[];
let punctuality: Punctuality;

beforeAll(async () => {
  punctuality = await conclusive("slow-disk", play, () => rig.close());
}, 240_000);

afterAll(() => rig?.close());

async function play(): Promise<Punctuality> {
  rig = await openRig({ width: 640, height: 360 });
  // House content follows the last item, which nothing covers.
  await rig.emulator.next([...spots, ...NOTHING_MORE]);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  const player = rig.play(["--config", rig.configure()]);
  const stalls = watchStalls(player, rig.display);
  await eventually("the first spot", async () => ((await rig.emulator.ledger()).length > 0 ? true : undefined));
  const slow = slowDown(player.pid);
  await eventually(
    "all proofs",
    async () => ((await verdicts()).flat().length === expected.length ? true : undefined),
    90_000,
  );
  await pause(SEEN_WITHIN_MS);
  slow.kill();
  const stalled = await stalls.stop();
  const recorded = await recording.stop();
  sightings = sightingsIn(recorded, eye);
  return punctualityOf(inOrder(sightings, judged, LENGTH_MS), heldUp(stalled, recorded.instants));
}

/** What the service made of each item's proofs. */
async function verdicts(): Promise<readonly (readonly string[])[]> {
  const ledger = (await rig.emulator.ledger()).slice(0, SPOTS);
  return ledger.flatMap(({ news, ad }) => [news, ad].map((item) => item?.pops.map(({ verdict }) => verdict) ?? []));
}

/**
 * Has all that the player writes for good take its time, in whichever of Node's threads, which are all there by now.
 * Chromium's own are left alone: each of their system calls, too, would wait for strace.
 */
function slowDown(pid: number): ChildProcess {
  const writes = "fsync,fdatasync";
  const delayed = `inject=${writes}:delay_exit=${WRITE_MS * 1_000}`;
  const args = ["-q", "-p", nodeThreads(pid).join(), "-e", `trace=${writes}`, "-e", delayed];
  const strace = spawn(...onALeash("strace", args), { stdio: "ignore" });
  letGo(strace);
  return strace;
}

describe(`a disk that takes ${WRITE_MS} ms for each write`, () => {
  it("does not disturb the order, and shows nothing between items", () => {
    const first = sightings.findIndex(({ sight }) => sight === judged[0]?.creative);
    const seen = sightings.slice(first, first + judged.length + 1).map(({ sight }) => sight);
    expect(seen).toEqual([...judged.map(({ creative }) => creative), HOUSE]);
  });

  it("leaves every item its duration", () => {
    expect(punctuality.wrong).toEqual([]);
  });

  it("costs no proof", async () => {
    expect(await verdicts()).toEqual(expected.map(() => ["counted"]));
  });
});
