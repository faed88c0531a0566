import { describe, it } from "vitest";
import { expectCleanDays, LIMIT_MS } from "./watched.ts";

/** Each of these found something once. */
const SEEDS = [8, 24, 27];

describe("the player, through 4 virtual days of each of some seeds", () => {
  it.each(SEEDS)(
    "proves what was shown in full and nothing else, and shows no broken byte: seed %i",
    (seed) => expectCleanDays(4, seed),
    LIMIT_MS,
  );
});
