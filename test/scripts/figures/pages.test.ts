import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BLOCKS, filledPages, PAGES } from "../../../scripts/figures/blocks.ts";
import { FOLDER, keptFiles, readKept } from "../../../scripts/figures/kept.ts";
import { placesIn } from "../../../scripts/figures/page.ts";
import { plots } from "../../../scripts/figures/plots.ts";
import { ROOT } from "../../../scripts/setup/paths.mjs";

const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const kept = readKept();
const drawn = plots(kept);

describe("the figures of the docs", () => {
  it.each(PAGES)("are in %s as their runs have them (node scripts/make-benchmarks.ts)", (page) => {
    expect(read(page)).toBe(filledPages(kept, read)[page]);
  });

  it("have one place each", () => {
    expect(PAGES.flatMap((page) => placesIn(read(page))).sort()).toEqual(Object.keys(BLOCKS).sort());
  });

  it("are plotted as their runs have them", () => {
    expect([...keptFiles(".svg")].sort()).toEqual(Object.keys(drawn).sort());
    for (const [name, svg] of Object.entries(drawn)) expect(readFileSync(join(FOLDER, name), "utf8")).toBe(svg);
  });

  it("come of files that are small enough for a repository", () => {
    const files = [...keptFiles(".json"), ...keptFiles(".svg")];
    const large = files.filter((name) => statSync(join(FOLDER, name)).size > 30_000);
    expect(large).toEqual([]);
  });
});
