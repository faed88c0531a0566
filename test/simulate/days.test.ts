import { describe, it } from "vitest";
import { expectCleanDays, LIMIT_MS } from "./watched.ts";

describe("the player, through a virtual day of each of some seeds", () => {
  // Each found something once; `npm run nightly` goes through more of them, for longer.
  it.each([3, 35])(
    "proves what was shown in full and nothing else, and shows no broken byte: seed %i",
    (seed) => expectCleanDays(1, seed),
    LIMIT_MS,
  );
});
