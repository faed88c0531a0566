import { remarkOn } from "../../test/bench/quiet.ts";
import { comparisonOf, type KeptLine } from "../../test/bench/report.ts";
import { cellsOf } from "../../test/bench/table.ts";
import type { Run } from "../../test/figures/run.ts";
import type { BenchLine } from "./kept.ts";
import { block, capital, caption, table } from "./page.ts";

/** What `npm run bench` measures, in the parts in which it is read. */
export const BENCH_BLOCKS = {
  display: block(["bench-transitions", "bench-thousand"], (runs) =>
    [
      lines(runs["bench-transitions"], runs["bench-thousand"]),
      "![How many refreshes too long or too short each of the thousand items was in sight](figures/length-error.svg)",
    ].join("\n\n"),
  ),
  peers: block(["bench-peers"], (runs) => lines(...onesOf(runs["bench-peers"]))),
  cost: block(["bench-memory", "bench-startup"], (runs) => lines(runs["bench-memory"], runs["bench-startup"])),
  proofs: block(["bench-owing", "bench-draining"], (runs) => lines(runs["bench-owing"], runs["bench-draining"])),
  media: block(["bench-downloading", "bench-frugality"], (runs) =>
    lines(runs["bench-downloading"], runs["bench-frugality"]),
  ),
  record: block(["bench-record"], (runs) => lines(runs["bench-record"])),
  growth: block(["bench-growth"], (runs) => lines(runs["bench-growth"])),
  emulator: block(
    ["bench-emulator-speed", "bench-emulator-screens", "bench-emulator-startup", "bench-emulator-memory"],
    (runs) =>
      lines(
        ...[runs["bench-emulator-speed"], runs["bench-emulator-screens"]],
        ...[runs["bench-emulator-startup"], runs["bench-emulator-memory"]],
      ),
  ),
};

/** Which runs, and then a sentence and a table for each line. */
function lines(...runs: readonly Run<BenchLine>[]): string {
  const remarks = new Set(runs.map(({ figures }) => remarkOn(figures.starts)));
  return [`${caption(...runs)} ${[...remarks].join(" ")}`.trim(), ...runs.map(({ figures }) => lineOf(figures))].join(
    "\n\n",
  );
}

/** A line with figures of several others, as one for each of them: what they are called comes before a colon. */
function onesOf({ figures, ...run }: Run<BenchLine>): readonly Run<BenchLine>[] {
  const [first = ""] = figures.title.split(":");
  const names = [...new Set(figures.rows.map(({ what }) => what.slice(0, what.indexOf(": "))))];
  return names.map((name, index) => {
    const own = figures.rows.filter(({ what }) => what.startsWith(`${name}: `));
    const rows = own.map((row) => ({ ...row, what: row.what.slice(name.length + 2) }));
    return { ...run, figures: { ...figures, title: index === 0 ? figures.title : first, beside: name, rows } };
  });
}

function lineOf({ title, subject = "Spotloop", beside, rows }: KeptLine): string {
  const cells = rows.map((row) =>
    cellsOf(comparisonOf(row)).map((cell) => capital(cell.replace(/missed$/, "**missed**"))),
  );
  const isRatio = cells.some(([, , , ratio]) => ratio !== "");
  const isJudged = cells.some(([, , , , goal]) => goal !== "");
  const isThere = [true, true, true, isRatio, isJudged];
  const only = (row: readonly string[]) => row.filter((_, column) => isThere[column]);
  return `${title}.\n\n${table(only(["", capital(subject), capital(beside), "Ratio", "Goal"]), cells.map(only))}`.trim();
}
