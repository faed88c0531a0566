import { join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { lookOut } from "../support/display/first-sight.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";
import { playBareClip } from "./bare/window.ts";
import type { Bench, Line } from "./line.ts";

/** What both show first. */
const CREATIVE = "news-transit";
const CLIP = join(ROOT, "assets/creatives", `${CREATIVE}.mp4`);
const ITEM_MS = 3_000;
const SPOTS = 1_000;

/** From the start of the process to the first frame of an item that a passer-by sees, its media on disk already. */
export const startup: Line = {
  name: "startup",
  async run(bench) {
    const rounds = bench.quick ? 3 : 9;
    const rig = await openRig();
    try {
      await fillCache(rig, bench);
      const [spotloop, other]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        bench.progress(`round ${round} of ${rounds}`);
        await bench.quiet.wait();
        other.push(await startOf(rig, () => playBareClip(rig, CLIP)));
        await bench.quiet.wait();
        spotloop.push(await startOf(rig, () => play(rig)));
      }
      return {
        title: `Start: from the process's start to the clip's first frame on the display, warm cache, rounds: ${rounds}`,
        beside: "bare window",
        rows: [{ what: "first item in sight after", unit: "ms", digits: 0, as: "ratio", spotloop, other, goal: 1.3 }],
      };
    } finally {
      await rig.close();
    }
  },
};

function play(rig: Rig): Running {
  return rig.play(["--config", rig.configure()]);
}

/** Plays one spot to its end; all that follow are the same. */
async function fillCache(rig: Rig, { signal, progress }: Bench): Promise<void> {
  progress("filling the cache");
  const item = plannedItem(shown().creative, ITEM_MS);
  await rig.emulator.next(Array.from({ length: SPOTS }, () => ({ news: item, ad: item })));
  const player = play(rig);
  await eventually("the first spot's proofs", async () => {
    signal.throwIfAborted();
    const [spot] = await rig.emulator.ledger();
    return spot?.news?.pops.length && spot.ad?.pops.length ? true : undefined;
  });
  await player.stop();
}

/** Milliseconds from the process's start until the clip is in sight. */
async function startOf(rig: Rig, start: () => Running): Promise<number> {
  const { creative, palette } = shown();
  const watch = await lookOut(rig.display, creative, palette);
  try {
    const startedAt = performance.timeOrigin + performance.now();
    const player = start();
    const seenAt = await Promise.race([watch.seenAt, endedTooSoon(player)]);
    await player.stop();
    return seenAt - startedAt;
  } finally {
    await watch.stop();
  }
}

function shown() {
  const { creatives, palette } = readCatalogue();
  const creative = creatives.find(({ name }) => name === CREATIVE);
  if (creative === undefined) throw new Error(`there is no creative ${CREATIVE}`);
  return { creative, palette };
}

async function endedTooSoon({ ended, stderr }: Running): Promise<never> {
  const how = await ended;
  throw new Error(`it ended with ${how} before it showed anything: ${stderr.slice(-5).join("\n")}`);
}
