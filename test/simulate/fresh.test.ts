import { randomInt } from "node:crypto";
import { describe, it } from "vitest";
import { expectCleanDays, LIMIT_MS } from "./watched.ts";

describe("the player, through two virtual days of each of five seeds that nobody has seen", () => {
  const seeds = Array.from({ length: 5 }, () => randomInt(2 ** 31));

  it.each(seeds)(
    "proves what was shown in full and nothing else, and shows no broken byte: seed %i",
    (seed) => expectCleanDays(2, seed),
    LIMIT_MS,
  );
});
