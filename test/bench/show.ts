import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { shownItems } from "../support/creatives/running-order.ts";
import { openEye } from "../support/display/eye.ts";
import { type Frames, recordDisplay } from "../support/display/recording.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { eventually, type Program, type Running } from "../support/machine/processes.ts";
import { openRig } from "../support/player/rig.ts";
import type { Bench } from "./line.ts";
import { type SeenItem, seenItems } from "./showing.ts";

/** What was seen of some spots, from the first to the last proof. */
export interface Shown {
  readonly items: readonly SeenItem[];
  readonly recorded: Frames;
}

/** Hears now and then how many of the spots were proved so far. */
export type OnProved = (player: Running, spots: number) => void;

/** A display, a screen network and a player of their own: the planned spots, watched from outside. */
export async function show(
  program: Program,
  spots: readonly PlannedSpot[],
  { signal }: Bench,
  onProved: OnProved = () => {},
): Promise<Shown> {
  const eye = await openEye();
  const rig = await openRig();
  try {
    await rig.emulator.next(spots);
    const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
    const player = rig.play(["--config", rig.configure()], program);
    const lastProved = async () => {
      signal.throwIfAborted();
      const ledger = await rig.emulator.ledger();
      const proved = ledger.filter(({ news, ad }) => news?.pops.length && ad?.pops.length).length;
      onProved(player, proved);
      const last = ledger[spots.length - 1];
      return last?.news?.pops.length && last.ad?.pops.length ? true : undefined;
    };
    await eventually("the last proof", lastProved, LIMIT_MS + playMs(spots) * 2, LOOK_MS);
    const recorded = await recording.stop();
    return { recorded, items: seenItems(sightingsIn(recorded, eye), shownItems(spots)) };
  } finally {
    await rig.close();
  }
}

const LIMIT_MS = 60_000;
const LOOK_MS = 500;

function playMs(spots: readonly PlannedSpot[]): number {
  return shownItems(spots).reduce((sum, { durationMs }) => sum + durationMs, 0);
}
