import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots } from "../support/creatives/running-order.ts";
import { checkoutPlayer, type Program } from "../support/machine/processes.ts";
import type { Comparison, Line } from "./line.ts";
import { show } from "./show.ts";
import { type Showing, showingOf } from "./showing.ts";

/** How clean the changes between items are, how exact their lengths, and whether they drift. */
export const transitions: Line = {
  name: "transitions",
  async run(bench) {
    const [rounds, spots] = bench.quick ? [1, 6] : [3, 17];
    const planned = plannedSpots(readCatalogue(), spots);
    const showings: { spotloop: Showing[]; naive: Showing[] } = { spotloop: [], naive: [] };
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`round ${round} of ${rounds}: Spotloop`);
      await bench.quiet.wait();
      showings.spotloop.push(showingOf((await show(checkoutPlayer(), planned, bench)).items));
      bench.progress(`round ${round} of ${rounds}: the naive page`);
      await bench.quiet.wait();
      showings.naive.push(showingOf((await show(naivePlayer(), planned, bench)).items));
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

/** One page that swaps elements, and asks for the next spot when the last one ended. */
export function naivePlayer(): Program {
  return checkoutPlayer(`${import.meta.dirname}/naive`);
}
