import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const { creatives } = readCatalogue();
const ITEM_MS = 1_000;
const SPOTS = 10;
/** After a change of items, while what was covered by it is still there. */
const STOPS_AFTER_MS = [0, 20, 40, 60, 80, 100];

/** A line of Chromium's own. */
const CHROMIUMS = /^\[\d+:\d+\/[\d.]+:[A-Z]+:/;

let rig: Rig;

beforeAll(async () => {
  rig = await openRig({ width: 640, height: 360 });
});

afterAll(() => rig?.close());

describe("a player that is stopped just as one item follows another", () => {
  it.each(STOPS_AFTER_MS.map((afterMs, nth) => [afterMs, nth]))("ends with 0, %i ms after", async (afterMs, nth) => {
    const [one, other] = [creatives[nth], creatives[nth + 1]];
    if (one === undefined || other === undefined) throw new Error("no creatives");
    const spot = { news: plannedItem(one, ITEM_MS), ad: plannedItem(other, ITEM_MS) };
    await rig.emulator.next(Array.from({ length: SPOTS }, () => spot));
    const player = rig.play(["--config", rig.configure()]);
    await eventually("two items to be over", () => hasShown(player, 2), 30_000, 5);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    expect(await player.stop()).toBe(0);
    expect(player.stderr.filter((line) => CHROMIUMS.test(line))).toEqual([]);
  });
});

function hasShown({ stderr }: Running, count: number): true | undefined {
  return stderr.filter((line) => line.includes(" item shown ")).length >= count ? true : undefined;
}
