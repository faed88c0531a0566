import { afterAll, afterEach, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { HOSTILE, type HostileSite, hostileFilm, openHostileSite } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye, type Sight } from "../support/display/eye.ts";
import { conclusive } from "../support/display/punctuality.ts";
import { sightingsIn } from "../support/display/sightings.ts";
import { HeldUp } from "../support/display/stalls.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { GPU_PID, INSPECTED, lookInside } from "../support/machine/inside.ts";
import { eventually } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
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
    process.kill(${GPU_PID}, "SIGKILL");
    globalThis.killed++;
  }));`;

const ITEM_MS = 3_000;
/** Of the items of the second test: a clip and a page. */
const LOST_AT = [0, 2];
/** Far less than the picture is kept still for, and more than a busy machine takes for what is drawn to be seen. */
const SHORTER_MS = 500;

/** Decks are put on top when they come in sight; below, where they are opened, they are put at a place. */
const KILLED_AS_RAISED = `
  const raised = new Set();
  const { addChildView } = electron.View.prototype;
  electron.View.prototype.addChildView = function (view, ...place) {
    if (place.length === 0 && !raised.has(view)) {
      if (${JSON.stringify(LOST_AT)}.includes(raised.size))
        process.kill(${GPU_PID}, "SIGKILL");
      raised.add(view);
    }
    return addChildView.call(this, view, ...place);
  };`;

const isCalled = (name: string) => (sight: Sight) => sight === name;

let rig: Rig;
let site: HostileSite;
afterEach(() => rig?.close());
afterAll(() => site?.close());

it("a page that is being loaded in the background when the graphics are lost is shown whole", async () => {
  site = await openHostileSite([SLOW], catalogue);
  const page = { ...plannedItem(HOSTILE, 2_000), url: site.url(SLOW.name) };
  const [before, after] = CLIPS.map((clip) => plannedItem(clip, CLIP_MS));
  const play = async () => {
    rig = await openRig({ width: 640, height: 360 });
    await rig.emulator.next([before, page, after].map((news) => ({ news, ad: null })));
    const watch = await watchDisplay(rig.display, eye);
    const player = rig.play([INSPECTED, "--config", rig.configure()]);
    const inside = await lookInside(player);
    await inside.ask(KILLED_AMID_LOAD);
    await watch.until([isCalled("news-sport"), isCalled("ad-coffee")]);
    expect(await inside.ask("return globalThis.killed")).toBe(1);
    await inside.close();
    const sights = sightingsIn(await watch.stop(), eye)
      .filter(({ sight }) => sight !== HOUSE)
      .map(({ sight, because }) => because ?? sight);
    // A machine with other work takes seconds to start the graphics' process anew.
    if (endingsIn(player.stderr).get(HOSTILE.name) === "not-ready")
      throw new HeldUp("the page came too late for its turn");
    return { shown: sights.slice(sights.indexOf("news-sport")), inconclusive: [] };
  };
  const { shown } = await conclusive("lost-graphics", play, () => rig.close());
  expect(shown).toEqual(["news-sport", HOSTILE.name, "ad-coffee"]);
});

it("an item that comes in sight as the graphics are lost is in sight for its whole time, or not proved", async () => {
  rig = await openRig({ width: 640, height: 360 });
  const names = ["news-sport", "ad-bakery", "news-weather", "ad-coffee"];
  const items = names.flatMap((wanted) => catalogue.creatives.filter(({ name }) => name === wanted));
  await rig.emulator.next(items.map((item) => ({ news: plannedItem(item, ITEM_MS), ad: null })));
  const watch = await watchDisplay(rig.display, eye);
  const player = rig.play([INSPECTED, "--config", rig.configure()]);
  const inside = await lookInside(player);
  await inside.ask(KILLED_AS_RAISED);
  const haveEnded = () => names.every((name) => endingsIn(player.stderr).has(name)) || undefined;
  await eventually("the ends of all items", haveEnded, 90_000);
  await inside.close();
  const sightings = sightingsIn(await watch.stop(), eye);
  const ledger = await rig.emulator.ledger();
  for (const index of LOST_AT) {
    const name = names[index] ?? "";
    // A busy machine may take longer to have its graphics back than a turn may begin late.
    if (endingsIn(player.stderr).get(name) !== "shown") {
      expect(ledger[index]?.news?.pops, name).toEqual([]);
      continue;
    }
    const lengthMs = sightings.find(({ sight }) => sight === name)?.lengthMs;
    expect(lengthMs, name).toBeGreaterThan(ITEM_MS - SHORTER_MS);
  }
});
