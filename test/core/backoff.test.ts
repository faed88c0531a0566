import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  backoffMs,
  FIRST_BLOCK_MS,
  isBlocked,
  isStrike,
  LONGEST_BLOCK_MS,
  PROOF_BACKOFF,
  SHORTEST_SHARE,
  type StrikeKind,
  type Strikes,
  struck,
} from "../../src/core/backoff.ts";

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

function struckAt(fault: StrikeKind, ...instants: number[]): Strikes {
  return instants.reduce((before: Strikes | null, at) => struck(before, fault, at), null) as Strikes;
}

describe("a creative that fails by its own fault", () => {
  it("is blocked with its third strike, for a day", () => {
    expect(isBlocked(struckAt("creative", 1, 2), 3)).toBe(false);
    const strikes = struckAt("creative", 1, 2, 3);
    expect(isBlocked(strikes, 4)).toBe(true);
    expect(isBlocked(strikes, 3 + LONGEST_BLOCK_MS - 1)).toBe(true);
    expect(isBlocked(strikes, 3 + LONGEST_BLOCK_MS)).toBe(false);
  });

  it("has three more after that", () => {
    expect(struck(struckAt("creative", 1, 2, 3), "creative", 3 + LONGEST_BLOCK_MS).count).toBe(1);
  });

  it("is not shut out for longer by a clock that was set back", () => {
    expect(isBlocked(struckAt("creative", 1_000_001, 1_000_002, 1_000_003), 5)).toBe(false);
  });

  it("is told from one that the machine could not show", () => {
    expect((["undecodable", "crashed", "hung", "forbidden", "memory"] as const).every(isStrike)).toBe(true);
    const machine = ["unfetchable", "stale", "not-ready", "not-painted", "stalled", "stopped"] as const;
    expect(machine.some(isStrike)).toBe(false);
  });
});

describe("a creative whose bytes are not the promised ones", () => {
  it("is tried again after a minute, then after twice as long each time, up to a day", () => {
    let strikes = struckAt("delivery", 1, 2, 3);
    let now = 3;
    for (let waitMs = FIRST_BLOCK_MS; waitMs < LONGEST_BLOCK_MS / 2; waitMs *= 2) {
      expect(strikes.until - now).toBe(waitMs);
      now = strikes.until;
      strikes = struck(strikes, "delivery", now);
    }
    for (let times = 0; times < 3; times++) strikes = struck(strikes, "delivery", strikes.lastAt + 1);
    expect(strikes.until - strikes.lastAt).toBe(LONGEST_BLOCK_MS);
  });
});

it("what is certain to fail again is not tried again for a day", () => {
  expect(isBlocked(struckAt("certain", 1), LONGEST_BLOCK_MS)).toBe(true);
});
