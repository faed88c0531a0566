import { comparisonOf, type KeptLine } from "../../test/bench/report.ts";
import { figure, judged } from "../../test/bench/table.ts";
import { NAIVE_SPOTS } from "../../test/bench/thousand.ts";
import { BENCH_BLOCKS } from "./bench-blocks.ts";
import { FLEET_BLOCKS } from "./fleet-blocks.ts";
import type { KeptRuns } from "./kept.ts";
import { type Block, block, fillPage, number, table } from "./page.ts";
import { RUN_BLOCKS } from "./run-blocks.ts";
import { STEP_BLOCKS } from "./step-blocks.ts";

/** The figures that the README quotes. */
const README_BLOCK = block(
  ["bench-thousand", "bench-transitions", "chaos", "simulate", "bench-owing", "bench-memory"],
  (runs) => {
    const [black, blackBeside] = figuresOf(runs["bench-thousand"].figures, "black frames in all");
    const transitions = runs["bench-transitions"].figures;
    const [middle, middleBeside] = figuresOf(transitions, "error of an item's length, p50");
    const [most, mostBeside] = figuresOf(transitions, "error of an item's length, most");
    const { kills, lost, falseProofs } = runs.chaos.figures;
    const { faults, days, failure, totals } = runs.simulate.figures;
    const faultCount = Object.values(faults).reduce((all, count) => all + count, 0);
    const lostInDays = failure === null ? number(totals.lostWithDisk + totals.lostWithDamage) : "**the run failed**";
    return table(
      ["", "Spotloop", "Beside it"],
      [
        [
          "Black frames in 1,000 items of video, image and HTML",
          ...[black, `${blackBeside} in ${number(2 * NAIVE_SPOTS)}: one page that swaps elements`],
        ],
        [
          "Error of an item's length, median and most",
          ...[`${middle}, ${most}`, `${middleBeside}, ${mostBeside}: the same page`],
        ],
        [`Proofs lost and false ones in ${number(kills)} kills`, `${number(lost)} and ${number(falseProofs)}`, ""],
        [`Proofs lost in ${number(days)} simulated days with ${number(faultCount)} faults`, lostInDays, ""],
        [
          "Proofs owed a second, each on the disk before the next",
          ...[`${ratioOf(runs["bench-owing"].figures, "proofs owed a second")} of raw SQLite inserts`, ""],
        ],
        [
          "Memory",
          ...[
            `${ratioOf(runs["bench-memory"].figures, "memory of all processes (PSS), median")} of a bare window with the same clip`,
            "",
          ],
        ],
      ],
    );
  },
);

/** Each block that a page may have a place for. */
export const BLOCKS: Readonly<Record<string, Block>> = {
  ...BENCH_BLOCKS,
  ...RUN_BLOCKS,
  ...STEP_BLOCKS,
  ...FLEET_BLOCKS,
  readme: README_BLOCK,
};

/** The pages with figures in them. */
export const PAGES = ["docs/benchmarks.md", "docs/fleet.md", "docs/kiosk.md", "docs/updates.md", "README.md"] as const;

/** These pages as they are to be, by name. */
export function filledPages(kept: KeptRuns, read: (page: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(PAGES.map((page) => [page, fillPage(read(page), BLOCKS, kept)]));
}

/** Spotloop's figure and the other's. */
function figuresOf(line: KeptLine, what: string): readonly [string, string] {
  const row = rowOf(line, what);
  return [figure(row, row.spotloop), figure(row, row.other)];
}

function ratioOf(line: KeptLine, what: string): string {
  return number(judged(rowOf(line, what)), 2);
}

function rowOf({ name, rows }: KeptLine, what: string) {
  const row = rows.find((one) => one.what === what);
  if (row === undefined) throw new Error(`the bench's line ${name} has no figure named ${what}`);
  return comparisonOf(row);
}
