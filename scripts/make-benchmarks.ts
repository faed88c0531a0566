// Run by hand, `node scripts/make-benchmarks.ts [FILE…]`: keeps the runs that --json FILE wrote as docs/figures/NAME.json, and
// makes the tables and plots of the docs from all that are kept, between their markers.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRun } from "../test/figures/run.ts";
import { filledPages, PAGES } from "./figures/blocks.ts";
import { FOLDER, keptOf, readKept, textOf } from "./figures/kept.ts";
import { plots } from "./figures/plots.ts";
import { ROOT } from "./setup/paths.mjs";
import { Stop } from "./setup/stop.mjs";

try {
  keepAndMake(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function keepAndMake(files: readonly string[]): void {
  // All are read before the first is written: one that is no run leaves everything as it was.
  const runs = files.flatMap((file) => keptOf(readRun(file)));
  mkdirSync(FOLDER, { recursive: true });
  for (const run of runs) writeFileSync(join(FOLDER, `${run.name}.json`), textOf(run));
  execFileSync(join(ROOT, "node_modules", ".bin", "biome"), ["format", "--write", "--no-errors-on-unmatched", FOLDER], {
    cwd: ROOT,
    stdio: "inherit",
  });

  const kept = readKept();
  for (const [name, svg] of Object.entries(plots(kept))) writeFileSync(join(FOLDER, name), svg);
  for (const [page, text] of Object.entries(filledPages(kept, (name) => readFileSync(join(ROOT, name), "utf8")))) {
    writeFileSync(join(ROOT, page), text);
  }
  process.stdout.write(
    `Kept now: ${runs.length}, in all: ${Object.keys(kept).length}; ${PAGES.join(", ")} made from them.\n`,
  );
}
