import { type Catalogue, readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { holdsIn } from "../support/display/motion.ts";
import { FRAME_MS } from "../support/display/recording.ts";
import { checkoutPlayer } from "../support/machine/processes.ts";
import { processMemoryMb } from "../support/machine/tree-usage.ts";
import { type Line, pairsOf } from "./line.ts";
import { type Shown, show } from "./show.ts";
import { lengthErrorsMs, lengthHistogram, showingOf } from "./showing.ts";
import { percentile } from "./statistics.ts";
import { naivePlayer } from "./transitions.ts";

/** Short items, so that a thousand take half an hour; all are whole frames of the display. */
const LENGTHS = { shortestMs: 1_500, stepMs: 50 };
/** The naive page shows what it does in a few; a thousand of its items would take far longer. */
export const NAIVE_SPOTS = 20;
/** Decks after which memory has settled. */
const SETTLED_SPOTS = 50;

/** A thousand items, each on a deck of its own: what is seen of them, and what they leave behind in the main process. */
export const thousand: Line = {
  name: "thousand",
  async run(bench) {
    const count = bench.quick ? 20 : 500;
    const catalogue = readCatalogue();
    const memory = memoryWatch(Math.min(SETTLED_SPOTS, count / 2));
    bench.progress(`Spotloop, ${count * 2} items`);
    await bench.quiet.wait();
    const spotloop = await show(checkoutPlayer(), plannedSpots(catalogue, count, LENGTHS), bench, memory.note);
    bench.progress(`the naive page, ${NAIVE_SPOTS * 2} items`);
    await bench.quiet.wait();
    const naive = await show(naivePlayer(), plannedSpots(catalogue, NAIVE_SPOTS, LENGTHS), bench);
    const compare = pairsOf([figuresOf(spotloop, catalogue)], [figuresOf(naive, catalogue)]);
    return {
      title: `A thousand: ${count * 2} items of 1.5 to 1.8 s, moving clips, images and pages; the naive page: ${NAIVE_SPOTS * 2}`,
      beside: "naive page",
      rows: [
        compare("black frames in all", "", 0, 0),
        compare("white frames in all", "", 0, 0),
        compare("house frames in all", "", 0, 0),
        compare("foreign or stale frames in all", "", 0, 0),
        compare("error of an item's length, p99", "ms", 0, 17),
        compare("error of an item's length, most", "ms", 0, 50),
        compare("drift over all items", "ms", 0, 17),
        compare("a clip's first picture held too long, p99", "refreshes", 0, 2),
        compare("a clip's last picture held too long, p99", "refreshes", 0, 2),
        {
          ...{ what: "growth of the main process by all decks", unit: "MB", digits: 1, as: "pair", goal: 15 },
          ...{ spotloop: [memory.grownMb()], other: [] },
        },
      ],
      histogram: lengthHistogram({ spotloop: spotloop.items, other: naive.items }),
    };
  },
};

function figuresOf({ items, recorded }: Shown, catalogue: Catalogue) {
  const showing = showingOf(items);
  const transitions = items.length - 1;
  const holds = holdsOf({ items, recorded }, catalogue);
  const errors = lengthErrorsMs(items);
  return {
    "black frames in all": showing.blackFrames * transitions,
    "white frames in all": showing.whiteFrames * transitions,
    "house frames in all": showing.houseFrames * transitions,
    "foreign or stale frames in all": showing.foreignFrames * transitions,
    "error of an item's length, p99": percentile(errors, 0.99),
    "error of an item's length, most": showing.lengthErrorMaxMs,
    "drift over all items": showing.driftMs,
    "a clip's first picture held too long, p99": percentile(
      holds.map(({ first }) => first),
      0.99,
    ),
    "a clip's last picture held too long, p99": percentile(
      holds.map(({ last }) => last),
      0.99,
    ),
  };
}

/** By how many refreshes the first and last picture of each clip were in sight longer than one picture's own time. */
function holdsOf({ items, recorded }: Shown, catalogue: Catalogue) {
  return items.flatMap(({ creative: name, first }) => {
    const creative = catalogue.creatives.find((one) => one.name === name);
    if (!creative?.mimeType.startsWith("video/")) return [];
    const { firstMs, lastMs } = holdsIn(recorded, first, creative, catalogue);
    const own = 1000 / (creative.framesPerSecond ?? Number.POSITIVE_INFINITY);
    return [{ first: Math.max(0, firstMs - own) / FRAME_MS, last: Math.max(0, lastMs - own) / FRAME_MS }];
  });
}

/** The main process's memory from when so many spots were proved to the end. */
function memoryWatch(from: number) {
  let [before, after] = [Number.NaN, Number.NaN];
  return {
    note({ pid }: { readonly pid: number }, spots: number): void {
      if (spots < from) return;
      after = processMemoryMb(pid);
      if (Number.isNaN(before)) before = after;
    },
    grownMb: () => after - before,
  };
}
