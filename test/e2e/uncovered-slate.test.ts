import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye } from "../support/display/eye.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { INSPECTED, type Inside, lookInside } from "../support/machine/inside.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const eye = await openEye();
const CLIP = "news-sport";
const clips = readCatalogue().creatives.filter(({ name }) => name === CLIP);
const CLIP_MS = 3_000;
/** The page is loaded again, and not drawn yet, when the clip is over. */
const EARLIER_MS = 150;

const GPU = 'electron.app.getAppMetrics().find(({ type }) => type === "GPU").pid';
const SLATE = 'electron.webContents.getAllWebContents().find((one) => one.getURL().includes("slate")).getOSProcessId()';

describe("house content that comes in sight while it is loaded again", () => {
  let rig: Rig;
  let inside: Inside;

  beforeAll(async () => {
    rig = await openRig({ width: 640, height: 360 });
    await none(0);
    inside = await lookInside(rig.play([INSPECTED, "--config", rig.configure()]));
  }, 60_000);

  afterAll(async () => {
    await inside?.close();
    await rig?.close();
  });

  /** Has the service answer with a spot so many times more, and then with none. */
  function none(after: number): Promise<unknown> {
    const match = { surface: "service", route: "spot" };
    return rig.emulator.control("PUT", "/control/faults", [{ match, skip: after, do: { empty: true } }]);
  }

  it.each([
    ["its page crashed", SLATE, EARLIER_MS],
    ["the graphics were lost", GPU, EARLIER_MS],
    ["the graphics were lost a moment earlier", GPU, 2 * EARLIER_MS],
  ])("is whole from its first frame on: %s", async (_why, pid, earlierMs) => {
    const watch = await watchDisplay(rig.display, eye);
    await rig.emulator.next(clips.map((clip) => ({ news: plannedItem(clip, CLIP_MS), ad: null })));
    await none(1);
    await watch.until([(sight) => sight === CLIP]);
    await inside.ask(`setTimeout(() => process.kill(${pid}, "SIGKILL"), ${CLIP_MS - earlierMs})`);
    await watch.until([(sight) => sight === HOUSE]);
    const sights = sightingsIn(await watch.stop(), eye).map(({ sight, because }) => because ?? sight);
    expect(sights.slice(sights.indexOf(CLIP))).toEqual([CLIP, HOUSE]);
  });
});
