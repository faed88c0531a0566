import { describe, it } from "vitest";
import { expectCleanDays, LIMIT_MS } from "./watched.ts";

/** Each of these found something once. */
const SEEDS = [35, 101];

describe("the player, through 3 virtual days of each of some seeds", () => {
  it.each(SEEDS)(
    "proves what was shown in full and nothing else, and shows no broken byte: seed %i",
    (seed) => expectCleanDays(3, seed),
    LIMIT_MS,
  );
});
