import { afterAll, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { HOSTILE, type HostileSite, hostileFilm, openHostileSite } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye, type Sight } from "../support/display/eye.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { INSPECTED, lookInside } from "../support/machine/inside.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye({ creatives: [HOSTILE], films: [hostileFilm(catalogue)] });
/** So short that the page is cued while it is still being loaded for the first time, in the background. */
const CLIP_MS = 3_200;
const CLIPS = catalogue.creatives.filter(({ name }) => ["news-sport", "ad-coffee"].includes(name));
const SLOW = { name: "slow", loading: "const until = Date.now() + 1500; while (Date.now() < until);" };

/** The deck of a page begins with an empty one, as no other does. */
const KILLED_AMID_LOAD = `
  globalThis.killed = 0;
  electron.app.on("web-contents-created", (_event, contents) => contents.once("did-navigate", (_event, url) => {
    if (url !== "about:blank" || killed) return;
    process.kill(electron.app.getAppMetrics().find(({ type }) => type === "GPU").pid, "SIGKILL");
    globalThis.killed++;
  }));`;

const isCalled = (name: string) => (sight: Sight) => sight === name;

let rig: Rig;
let site: HostileSite;
afterAll(async () => {
  await rig?.close();
  await site?.close();
});

it("a page that is being loaded in the background when the graphics are lost is shown whole", async () => {
  rig = await openRig({ width: 640, height: 360 });
  site = await openHostileSite([SLOW], catalogue);
  const page = { ...plannedItem(HOSTILE, 2_000), url: site.url(SLOW.name) };
  const [before, after] = CLIPS.map((clip) => plannedItem(clip, CLIP_MS));
  await rig.emulator.next([before, page, after].map((news) => ({ news, ad: null })));
  const watch = await watchDisplay(rig.display, eye);
  const inside = await lookInside(rig.play([INSPECTED, "--config", rig.configure()]));
  await inside.ask(KILLED_AMID_LOAD);
  await watch.until([isCalled("news-sport"), isCalled("ad-coffee")]);
  expect(await inside.ask("return globalThis.killed")).toBe(1);
  await inside.close();
  const sights = sightingsIn(await watch.stop(), eye)
    .filter(({ sight }) => sight !== HOUSE)
    .map(({ sight, because }) => because ?? sight);
  expect(sights.slice(sights.indexOf("news-sport"))).toEqual(["news-sport", HOSTILE.name, "ad-coffee"]);
});
