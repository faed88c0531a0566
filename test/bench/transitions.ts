import { readCatalogue } from "../support/catalogue.ts";
import { checkoutPlayer, eventually, type Program } from "../support/processes.ts";
import { recordDisplay } from "../support/recording.ts";
import { openRig } from "../support/rig.ts";
import { plannedSpots, shownItems } from "../support/running-order.ts";
import { sightingsIn } from "../support/sightings.ts";
import type { Bench, Comparison, Line } from "./line.ts";
import { type Showing, seenItems, showingOf } from "./showing.ts";

/** How clean the changes between items are, how exact their lengths, and whether they drift. */
export const transitions: Line = {
  name: "transitions",
  async run(bench) {
    const [rounds, spots] = bench.quick ? [1, 6] : [3, 17];
    const showings: { spotloop: Showing[]; naive: Showing[] } = { spotloop: [], naive: [] };
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`round ${round} of ${rounds}: Spotloop`);
      await bench.quiet.wait();
      showings.spotloop.push(await show(checkoutPlayer(), spots, bench));
      bench.progress(`round ${round} of ${rounds}: the naive page`);
      await bench.quiet.wait();
      showings.naive.push(await show(checkoutPlayer(`${import.meta.dirname}/naive`), spots, bench));
    }
    const compare = (what: string, unit: string, digits: number, of: (showing: Showing) => number): Comparison => ({
      ...{ what, unit, digits, as: "pair" },
      spotloop: showings.spotloop.map(of),
      other: showings.naive.map(of),
    });
    return {
      title: `Transitions: ${spots * 2} items of 1.5 to 3 s, video, image and HTML, seen from outside at 60 frames/s, rounds: ${rounds}`,
      beside: "naive page",
      rows: [
        { ...compare("black frames per transition", "", 2, (showing) => showing.blackFrames), goal: 0 },
        { ...compare("white frames per transition", "", 2, (showing) => showing.whiteFrames), goal: 0 },
        { ...compare("house frames per transition", "", 2, (showing) => showing.houseFrames), goal: 0 },
        { ...compare("foreign frames per transition", "", 2, (showing) => showing.foreignFrames), goal: 0 },
        compare("error of an item's length, p50", "ms", 0, (showing) => showing.lengthErrorP50Ms),
        { ...compare("error of an item's length, most", "ms", 0, (showing) => showing.lengthErrorMaxMs), goal: 50 },
        { ...compare("drift over all items", "ms", 0, (showing) => showing.driftMs), goal: 100 },
      ],
    };
  },
};

/** A display, a screen network and a player of their own: the planned spots from the first to the last proof. */
async function show(program: Program, count: number, { signal }: Bench): Promise<Showing> {
  const catalogue = readCatalogue();
  const spots = plannedSpots(catalogue, count);
  const rig = await openRig();
  try {
    await rig.emulator.next(spots);
    const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
    rig.play(["--config", rig.configure()], program);
    await eventually(
      "the last proof",
      async () => {
        signal.throwIfAborted();
        const last = (await rig.emulator.ledger())[count - 1];
        return last?.news?.pops.length && last.ad?.pops.length ? true : undefined;
      },
      300_000,
    );
    return showingOf(seenItems(sightingsIn(await recording.stop(), catalogue), shownItems(spots)));
  } finally {
    await rig.close();
  }
}
