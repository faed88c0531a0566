import { BENCH_BLOCKS } from "./bench-blocks.ts";
import { FLEET_BLOCKS } from "./fleet-blocks.ts";
import type { KeptRuns } from "./kept.ts";
import { type Block, fillPage } from "./page.ts";
import { README_BLOCK } from "./readme-block.ts";
import { RUN_BLOCKS } from "./run-blocks.ts";

/** Each block that a page may have a place for. */
export const BLOCKS: Readonly<Record<string, Block>> = {
  ...BENCH_BLOCKS,
  ...RUN_BLOCKS,
  ...FLEET_BLOCKS,
  readme: README_BLOCK,
};

/** The pages with figures in them. */
export const PAGES = ["docs/benchmarks.md", "docs/fleet.md", "README.md"] as const;

/** These pages as they are to be, by name. */
export function filledPages(kept: KeptRuns, read: (page: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(PAGES.map((page) => [page, fillPage(read(page), BLOCKS, kept)]));
}
