import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/player/clock.ts";

const clock = systemClock();

/** Resolves with how late an alarm rings that is set for so many milliseconds from now. */
function latenessOf(ms: number): Promise<number> {
  const at = clock.now() + ms;
  return new Promise((resolve) => clock.alarm(at, () => resolve(clock.now() - at)));
}

describe("an alarm of the machine's clock", () => {
  it.each([-5, 0, 0.3, 1, 1.9, 2, 2.1, 7.77, 40])("rings %d ms from now or later, never before", async (ms) => {
    expect(await latenessOf(ms)).toBeGreaterThanOrEqual(0);
  });

  it("does not ring within the call that sets it", () => {
    let rung = false;
    const callOff = clock.alarm(clock.now() - 1, () => {
      rung = true;
    });
    expect(rung).toBe(false);
    callOff();
  });

  it.each([
    ["while it is far off", 20, 0],
    ["just before its time", 4, 3],
    ["when its time has come", 0, 0],
  ])("does not ring once it was called off %s", async (_, ms, afterMs) => {
    let rung = false;
    const callOff = clock.alarm(clock.now() + ms, () => {
      rung = true;
    });
    const until = clock.now() + afterMs;
    while (clock.now() < until) await new Promise(setImmediate);
    const before = rung;
    callOff();
    await sleep(ms + 10);
    expect(rung).toBe(before);
  });
});
