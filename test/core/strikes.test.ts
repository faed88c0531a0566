import { describe, expect, it } from "vitest";
import {
  FIRST_BLOCK_MS,
  isBlocked,
  isStrike,
  LONGEST_BLOCK_MS,
  type StrikeKind,
  type Strikes,
  struck,
} from "../../src/core/strikes.ts";

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
