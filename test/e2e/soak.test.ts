import { expect, it } from "vitest";
import { soak } from "../soak/soak.ts";

/** Half a minute, in which everything of the rotation comes once at four times the pace. */
const HOURS = 0.009;

it("a soak finds nothing wrong with a good player, and adds up what it took", async () => {
  const { signal } = new AbortController();
  const { hours, violations, samples } = await soak({ hours: HOURS, speed: 4, signal, onProgress: () => {} });
  expect(violations).toEqual([]);
  expect(hours).toHaveLength(1);
  expect(hours[0]?.items).toBeGreaterThan(10);
  expect(samples.every(({ memoryMb, threads }) => memoryMb.main > 10 && memoryMb.renderers > 10 && threads > 10)).toBe(
    true,
  );
}, 120_000);
