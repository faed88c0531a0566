import type { PlannedSpot } from "../../../src/emulator/spot/planned.ts";
import { type Catalogue, type Creative, readCatalogue } from "../../support/creatives/catalogue.ts";
import { plannedSpots, shownItems, wholeItems } from "../../support/creatives/running-order.ts";
import { type Eye, openEye } from "../../support/display/eye.ts";
import { holdsIn } from "../../support/display/motion.ts";
import { PAGE_PICTURE_MS } from "../../support/display/pictures.ts";
import { sightingsIn } from "../../support/display/sightings.ts";
import { watchDisplay } from "../../support/display/watching.ts";
import { checkoutPlayer } from "../../support/machine/processes.ts";
import { openRig } from "../../support/player/rig.ts";
import { playBare } from "../bare/window.ts";
import { type Comparison, type Line, pairsOf } from "../line.ts";
import { type Shown, show } from "../show.ts";
import { seenItems, showingOf } from "../showing.ts";
import { fetchRenderer, type Page, RENDERERS } from "./renderers.ts";
import { serveRenderer } from "./site.ts";

/** Whole seconds, since layouts know no others. */
const LENGTHS = { shortestMs: 2_000, stepMs: 0 };

/**
 * The same items by the renderers of open players, each in a bare window. They are given all items at once, in one playlist
 * and from loopback, so they have time to prepare each: what a player around them does is not measured, nor how wide a page
 * is laid out, so foreign frames are not compared.
 */
export const peers: Line = {
  name: "peers",
  isOnRequest: true,
  async run(bench) {
    const [rounds, count] = bench.quick ? [1, 6] : [3, 17];
    const catalogue = readCatalogue();
    const spots = plannedSpots(catalogue, count, LENGTHS);
    const eye = await openEye();
    const own: Figures[] = [];
    const others: { readonly who: string; readonly page: Page; readonly figures: Figures[] }[] = [];
    for (const renderer of RENDERERS) {
      const who = `${renderer.name} ${renderer.version}`;
      others.push({ who, page: await fetchRenderer(renderer, bench.signal), figures: [] });
    }
    for (let round = 1; round <= rounds; round++) {
      const measure = async (name: string, shown: () => Promise<Shown>) => {
        bench.progress(`round ${round} of ${rounds}: ${name}`);
        await bench.quiet.wait();
        return figuresOf(await shown(), catalogue, eye);
      };
      own.push(await measure("Spotloop", () => show(checkoutPlayer(), spots, bench)));
      for (const { who, page, figures } of others) figures.push(await measure(who, () => showBy(page, spots, eye)));
    }
    return {
      title: `Renderers of open players: ${count * 2} items of 2 s, video, image and HTML, rounds: ${rounds}`,
      beside: "the renderer",
      rows: others.flatMap(({ who, figures }) => rowsOf(who, own, figures)),
    };
  },
};

function rowsOf(who: string, own: readonly Figures[], theirs: readonly Figures[]): readonly Comparison[] {
  const compare = pairsOf(own, theirs);
  const rows = [
    compare("black frames per transition", "", 2),
    compare("white frames per transition", "", 2),
    compare("error of an item's length, p50", "ms", 0),
    compare("error of an item's length, most", "ms", 0),
    compare("drift over all items", "ms", 0),
    compare("a clip's first picture held too long, most", "ms", 0),
    compare("age of a clip at its first sight, most", "ms", 0),
    compare("age of a page at its first sight, most", "ms", 0),
  ];
  return rows.map((row) => ({ ...row, what: `${who}: ${row.what}` }));
}

/** What a renderer shows of the spots, from the first item to the last. */
async function showBy(page: Page, spots: readonly PlannedSpot[], eye: Eye): Promise<Shown> {
  const rig = await openRig();
  const site = await serveRenderer(page, wholeItems(spots), rig.emulator.mediaUrl);
  try {
    const watch = await watchDisplay(rig.display, eye);
    playBare(rig, site.url);
    const expected = shownItems(spots);
    // Each in a wait of its own, which is bounded; after the last the first one comes again.
    for (const { creative } of [...expected, ...expected.slice(0, 1)])
      await watch.until([(sight) => sight === creative]);
    const recorded = await watch.stop();
    return { recorded, items: seenItems(sightingsIn(recorded, eye), expected) };
  } finally {
    await rig.close();
    await site.close();
  }
}

type Figures = ReturnType<typeof figuresOf>;

function figuresOf({ items, recorded }: Shown, catalogue: Catalogue, eye: Eye) {
  const showing = showingOf(items);
  const [heldMs, clipAgesMs, pageAgesMs]: [number[], number[], number[]] = [[0], [0], [0]];
  for (const { creative: name, first } of items) {
    eye.rewind();
    const { picture } = eye.look(recorded.frames[first.firstFrame] as Buffer);
    const creative = catalogue.creatives.find((one) => one.name === name);
    if (creative === undefined || picture === null) continue;
    if (creative.framesPerSecond !== null) {
      const pictureMs = 1000 / creative.framesPerSecond;
      heldMs.push(holdsIn(recorded, first, creative, catalogue).firstMs - pictureMs);
      clipAgesMs.push(picture * pictureMs);
    }
    // A page that begins to move only when it is told that it is on air has no age.
    else if (isPage(creative) && creative.hook === undefined) pageAgesMs.push(picture * PAGE_PICTURE_MS);
  }
  return {
    "black frames per transition": showing.blackFrames,
    "white frames per transition": showing.whiteFrames,
    "error of an item's length, p50": showing.lengthErrorP50Ms,
    "error of an item's length, most": showing.lengthErrorMaxMs,
    "drift over all items": showing.driftMs,
    "a clip's first picture held too long, most": Math.max(...heldMs),
    "age of a clip at its first sight, most": Math.max(...clipAgesMs),
    "age of a page at its first sight, most": Math.max(...pageAgesMs),
  };
}

function isPage({ mimeType }: Creative): boolean {
  return mimeType === "text/html";
}
