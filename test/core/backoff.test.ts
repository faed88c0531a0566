import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, PROOF_BACKOFF, SHORTEST_SHARE } from "../../src/core/backoff.ts";

const failures = fc.integer({ min: 1, max: 5_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("the wait between tries", () => {
  it("is 1, 2 and 4 s to the millisecond, whatever the random say", () => {
    const waits = [1, 2, 3].map((count) => [backoffMs(PROOF_BACKOFF, count, 0), backoffMs(PROOF_BACKOFF, count, 0.99)]);
    expect(waits).toEqual([
      [1_000, 1_000],
      [2_000, 2_000],
      [4_000, 4_000],
    ]);
  });

  it("then doubles to a minute and stays there", () => {
    const waits = [4, 5, 6, 7, 8, 400].map((count) => backoffMs(PROOF_BACKOFF, count, 0));
    expect(waits).toEqual([8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it("is spread by the random once it is long", () => {
    expect(backoffMs(PROOF_BACKOFF, 7, 0.5)).toBe(52_500);
  });

  it("takes no failure yet for the first", () => {
    expect(backoffMs(PROOF_BACKOFF, 0, 0)).toBe(1_000);
  });

  it("is never longer than the longest, never shorter than its share, for any number of failures", () => {
    fc.assert(
      fc.property(failures, random, (count, roll) => {
        const wholeMs = Math.min(PROOF_BACKOFF.firstMs * 2 ** (count - 1), PROOF_BACKOFF.longestMs);
        const waitMs = backoffMs(PROOF_BACKOFF, count, roll);
        expect(waitMs).toBeLessThanOrEqual(wholeMs);
        expect(waitMs).toBeGreaterThanOrEqual(wholeMs * SHORTEST_SHARE);
      }),
    );
  });
});
