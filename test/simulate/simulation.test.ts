import { describe, expect, it } from "vitest";
import { simulate } from "./simulation.ts";
import { LIMIT_MS } from "./watched.ts";

describe("a simulation", () => {
  it("is the same event for event with the same seed, and another with another", { timeout: LIMIT_MS }, async () => {
    const [one, again, other] = [
      await simulate({ days: 0.5, seed: 1 }),
      await simulate({ days: 0.5, seed: 1 }),
      await simulate({ days: 0.5, seed: 2 }),
    ];
    expect(one.events).toBeGreaterThan(1_000);
    expect(again.hash).toBe(one.hash);
    expect(again.totals).toEqual(one.totals);
    expect(other.hash).not.toBe(one.hash);
  });
});
