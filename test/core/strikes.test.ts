import { describe, expect, it } from "vitest";
import { isQuarantined, isStrike, QUARANTINE_MS, type Strikes, struck } from "../../src/core/strikes.ts";

function struckAt(...instants: number[]): Strikes {
  return instants.reduce((before: Strikes | null, at) => struck(before, 1, at), null) as Strikes;
}

describe("a creative that fails by its own fault", () => {
  it("is quarantined with its third strike", () => {
    expect(isQuarantined(struckAt(1, 2), 3)).toBe(false);
    expect(isQuarantined(struckAt(1, 2, 3), 4)).toBe(true);
  });

  it("is tried again a day after the last one, and then has three more", () => {
    const before = struckAt(1, 2, 3);
    expect(isQuarantined(before, 3 + QUARANTINE_MS - 1)).toBe(true);
    expect(isQuarantined(before, 3 + QUARANTINE_MS)).toBe(false);
    expect(struck(before, 1, 3 + QUARANTINE_MS).count).toBe(1);
  });

  it("is not shut out for longer by a clock that was set back", () => {
    expect(isQuarantined(struckAt(1_000_001, 1_000_002, 1_000_003), 5)).toBe(false);
  });

  it("is told from one that the machine could not show", () => {
    expect(["undecodable", "crashed", "hung", "forbidden"].every((reason) => isStrike(reason as never))).toBe(true);
    expect(
      ["unfetchable", "stale", "not-ready", "not-painted", "stalled", "stopped"].some((reason) =>
        isStrike(reason as never),
      ),
    ).toBe(false);
  });
});
