import { describe, expect, it } from "vitest";
import { draw, newDice, uuidOf } from "../../src/emulator/random.ts";

describe("the seeded dice", () => {
  it("give the same sequence for the same seed, and another for another", () => {
    const throws = (seed: number) => {
      const dice = newDice(seed);
      return [draw(dice, "pop", 16), draw(dice, "pop", 16)].map((bytes) => bytes.toString("hex"));
    };

    expect(throws(1)).toEqual(throws(1));
    expect(new Set([...throws(1), ...throws(2)]).size).toBe(4);
  });

  it("do not change what one purpose gets when another draws too", () => {
    const alone = newDice(1);
    const shared = newDice(1);
    draw(shared, "other", 8);

    expect(draw(shared, "pop", 8)).toEqual(draw(alone, "pop", 8));
  });

  it("A17 make UUIDs of version 4", () => {
    const dice = newDice(1);
    const uuids = Array.from({ length: 100 }, () => uuidOf(draw(dice, "spot", 16)));

    expect(new Set(uuids).size).toBe(100);
    for (const uuid of uuids) expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});
