import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Chance } from "./chance.ts";
import { simulateDice } from "./dice.ts";
import { simulate } from "./simulation.ts";
import { SimulatedTime } from "./time.ts";
import { LIMIT_MS } from "./watched.ts";

function drawn(seed: number): readonly unknown[] {
  const restore = simulateDice(new SimulatedTime(), new Chance(seed));
  const { publicKey } = generateKeyPairSync("ed25519");
  const key = publicKey.export({ type: "spki", format: "der" }).toString("hex");
  const values = [randomUUID(), randomUUID(), randomBytes(8).toString("hex"), key, Math.random()];
  restore();
  return values;
}

describe("a simulation", () => {
  it("is the same event for event with the same seed, and another with another", { timeout: LIMIT_MS }, async () => {
    const [one, again, other] = [
      await simulate({ days: 0.25, seed: 1 }),
      await simulate({ days: 0.25, seed: 1 }),
      await simulate({ days: 0.25, seed: 2 }),
    ];
    expect(one.events).toBeGreaterThan(1_000);
    expect(again.hash).toBe(one.hash);
    expect(again.totals).toEqual(one.totals);
    expect(other.hash).not.toBe(one.hash);
  });

  it("draws names, bytes and keys from its seed, and leaves the platform's own behind", () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(2).filter((value, index) => value === drawn(1)[index])).toEqual([]);
    expect(drawn(1)[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(randomUUID()).not.toBe(randomUUID());
  });
});
