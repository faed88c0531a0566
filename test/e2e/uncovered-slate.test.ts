import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye } from "../support/display/eye.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { GPU_PID, INSPECTED, type Inside, lookInside } from "../support/machine/inside.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const eye = await openEye();
const CLIP = "news-sport";
const clips = readCatalogue().creatives.filter(({ name }) => name === CLIP);
const CLIP_MS = 3_000;
/** So long before the clip is over the page is gone, and so long the next one is held up: beyond the clip. */
const EARLIER_MS = 1_000;
const HELD_UP_MS = 1_500;

const SLATE_PID = "slate.getOSProcessId()";

/** Ends a process of the player during its next clip. */
const endDuringClip = (pid: string) => `globalThis.onClip = () => {
    globalThis.onClip = null;
    const slate = electron.webContents.getAllWebContents().find((one) => one.getURL().includes("slate"));
    setTimeout(() => process.kill(${pid}, "SIGKILL"), ${CLIP_MS - EARLIER_MS});
    slate.once("did-navigate", () => {
      const next = ${SLATE_PID};
      process.kill(next, "SIGSTOP");
      setTimeout(() => process.kill(next, "SIGCONT"), ${HELD_UP_MS});
    });
  };`;

/** Has `globalThis.onClip` called whenever a clip begins. */
const HEAR_CLIPS = `
  const hear = (contents) => contents.on("media-started-playing", () => globalThis.onClip?.());
  electron.webContents.getAllWebContents().forEach(hear);
  electron.app.on("web-contents-created", (_event, contents) => hear(contents));`;

describe("house content that comes in sight while it is loaded again", () => {
  let rig: Rig;
  let inside: Inside;

  beforeAll(async () => {
    rig = await openRig({ width: 640, height: 360 });
    await none(0);
    inside = await lookInside(rig.play([INSPECTED, "--config", rig.configure()]));
    await inside.ask(HEAR_CLIPS);
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
    ["its page crashed", SLATE_PID],
    ["the graphics were lost", GPU_PID],
  ])("is whole from its first frame on: %s", async (_why, pid) => {
    await inside.ask(endDuringClip(pid));
    const watch = await watchDisplay(rig.display, eye);
    await rig.emulator.next(clips.map((clip) => ({ news: plannedItem(clip, CLIP_MS), ad: null })));
    await none(1);
    await watch.until([(sight) => sight === CLIP, (sight) => sight === HOUSE]);
    const sights = sightingsIn(await watch.stop(), eye).map(({ sight, because }) => because ?? sight);
    expect(sights.slice(sights.indexOf(CLIP))).toEqual([CLIP, HOUSE]);
  });
});
