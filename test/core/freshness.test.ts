import { expect, it } from "vitest";
import { freshUntil, LONGEST_FRESH_MS, SHORTEST_FRESH_MS } from "../../src/core/freshness.ts";

it.each([
  ["max-age=3600", 3_600_000],
  ["public, max-age=7200, immutable", 7_200_000],
  ['max-age="3600"', 3_600_000],
  ["s-maxage=99999, max-age=1200", 1_200_000],
  ["max-age=5", SHORTEST_FRESH_MS],
  ["no-store", SHORTEST_FRESH_MS],
  ["max-age=31536000", LONGEST_FRESH_MS],
  ["max-age=99999999999999999999", LONGEST_FRESH_MS],
  ["max-age=soon", SHORTEST_FRESH_MS],
  [null, SHORTEST_FRESH_MS],
])("Cache-Control %s keeps a file fresh for %i ms", (cacheControl, ms) => {
  expect(freshUntil(cacheControl, 1_000) - 1_000).toBe(ms);
});
