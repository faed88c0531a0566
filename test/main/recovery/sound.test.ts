import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { FailureReason } from "../../../src/core/spot.ts";
import { Sound } from "../../../src/main/recovery/recovery.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const MINUTE_MS = 60_000;

/** The sound of a player on a machine whose own is stuck, or not; with how often it was looked after, and ended. */
function listen({ muted = false, isStuck = true } = {}) {
  const clock = new ManualClock();
  const told = { looked: 0, ended: 0 };
  const sound = new Sound({
    ...{ muted, clock, log: pino({ enabled: false }) },
    async isStuck() {
      told.looked++;
      return isStuck;
    },
    endAudio: () => told.ended++,
  });
  const fail = async (...reasons: readonly FailureReason[]) => {
    for (const reason of reasons) sound.noteEnd({ kind: "failed", reason });
    await new Promise(setImmediate);
  };
  /** Until an item fails for it; resolves with the minutes until it is on again. */
  const silence = async () => {
    await fail("stalled");
    let minutes = 0;
    for (; sound.muted; minutes++) await clock.advance(MINUTE_MS);
    return minutes;
  };
  return { clock, sound, fail, silence, told };
}

describe("sound", () => {
  it.each(["stalled", "not-painted", "not-ready", "hung"] as const)(
    "is off for a while after an item that failed as %s, where the machine's is stuck",
    async (reason) => {
      const { sound, fail, told } = listen();
      await fail(reason);
      expect([sound.muted, told.ended]).toEqual([true, 1]);
    },
  );

  it("stays on where the machine's is not", async () => {
    const { sound, fail, told } = listen({ isStuck: false });
    await fail("stalled");
    await fail("hung");
    expect([sound.muted, told]).toEqual([false, { looked: 2, ended: 0 }]);
  });

  it("has nothing to do with what fails in other ways, or is shown", async () => {
    const { sound, fail, told } = listen();
    await fail("unfetchable", "stale", "undecodable", "crashed", "forbidden", "hidden", "closed", "stopped");
    sound.noteEnd({ kind: "shown", paintedAt: 0, endedAt: 1 });
    expect(told.looked).toBe(0);
  });

  it("is looked after once at a time, and not while it is off", async () => {
    const { fail, told } = listen();
    await fail("stalled", "not-ready");
    await fail("not-ready");
    expect(told).toEqual({ looked: 1, ended: 1 });
  });

  it("is tried again ever later, and as soon as at first where it was on for an hour", async () => {
    const { clock, silence } = listen();
    const minutes: number[] = [];
    for (let turn = 0; turn < 7; turn++) minutes.push(await silence());
    expect(minutes).toEqual([10, 20, 40, 80, 160, 320, 360]);
    await clock.advance(60 * MINUTE_MS);
    expect(await silence()).toBe(10);
  });

  it("stays off where the configuration has it so, and is not looked after", async () => {
    const { sound, fail, told } = listen({ muted: true });
    await fail("stalled");
    expect([sound.muted, told]).toEqual([true, { looked: 0, ended: 0 }]);
  });
});
