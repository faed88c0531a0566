import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const TRUTH = Date.UTC(2026, 2, 29, 0, 30) + 317;

it("learns the service's time while it plays items of whole seconds, and proves by it when they were shown", async () => {
  // This machine's clock is 90 seconds ahead, and a fraction of one.
  const clock = new ManualClock(TRUTH + 90_250);
  const scenario = await openScenario(temporaryFolder(), { clock });
  onTestFinished(() => scenario.close());
  const { emulator } = scenario;
  emulator.clock.set({ mode: "real", now: TRUTH });
  const item = { id: "a", title: "a", mimeType: "image/png", width: 1, height: 1, duration: 6 * SECOND };
  const spot = { news: { ...item, url: "creatives/ad-bakery.png" }, ad: { ...item, url: "creatives/ad-bakery.png" } };
  emulator.next(emulator.screenId, Array(12).fill(spot));

  await scenario.pass(2 * SECOND);
  const { serviceWithinMs: first } = scenario.player().serviceClock.read();
  await scenario.pass(118 * SECOND);

  const { service, serviceWithinMs: last, wall } = scenario.player().serviceClock.read();
  const truth = emulator.clock.reading().now;
  expect(last).toBeLessThan(60);
  // The first answers, of whole seconds, left most of half a second open.
  expect(first ?? SECOND).toBeGreaterThan(4 * 60);
  expect(Math.abs((service ?? 0) - truth)).toBeLessThanOrEqual((last ?? 0) + 1);
  expect(Math.round((wall - truth) / SECOND)).toBe(90);
  expect(emulator.audit()).toEqual([]);
});
