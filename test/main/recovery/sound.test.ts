import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { FailureReason } from "../../../src/core/spot.ts";
import { Sound } from "../../../src/main/recovery/recovery.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const MINUTE_MS = 60_000;

/** The sound of a player, and what becomes of it. */
function listen({ muted = false } = {}) {
  const clock = new ManualClock();
  let ended = 0;
  const sound = new Sound({ muted, clock, log: pino({ enabled: false }), endAudio: () => ended++ });
  const show = () => sound.noteEnd({ kind: "shown", paintedAt: 0, endedAt: 1 });
  const fail = (...reasons: readonly FailureReason[]) => {
    for (const reason of reasons) sound.noteEnd({ kind: "failed", reason });
  };
  /** Fails until it is off, then plays on; resolves with the minutes until it is on again. */
  const silence = async () => {
    fail("stalled", "not-ready", "hung");
    let minutes = 0;
    for (; sound.muted; minutes++) await clock.advance(MINUTE_MS);
    return minutes;
  };
  return { clock, sound, show, fail, silence, ended: () => ended };
}

describe("sound", () => {
  it("is off for a while after three items in a row that failed as where the machine's sound does", () => {
    const { sound, fail, ended } = listen();
    fail("stalled", "not-painted");
    expect([sound.muted, ended()]).toEqual([false, 0]);
    fail("not-ready");
    expect([sound.muted, ended()]).toEqual([true, 1]);
  });

  it("stays on where an item is shown in between", () => {
    const { sound, show, fail } = listen();
    fail("stalled", "hung");
    show();
    fail("not-ready", "not-ready");
    expect(sound.muted).toBe(false);
  });

  it("has nothing to do with what fails in other ways", () => {
    const { sound, fail } = listen();
    fail("unfetchable", "stale", "undecodable", "crashed", "forbidden", "hidden", "closed", "stopped");
    expect(sound.muted).toBe(false);
    fail("stalled", "hung", "unfetchable", "stalled");
    expect(sound.muted).toBe(true);
  });

  it("is not ended again for what fails while it is off", () => {
    const { fail, ended } = listen();
    fail("stalled", "stalled", "stalled", "stalled", "stalled", "stalled");
    expect(ended()).toBe(1);
  });

  it("is tried again ever later, and as soon as at first where it was on for an hour", async () => {
    const { clock, silence } = listen();
    const minutes: number[] = [];
    for (let turn = 0; turn < 7; turn++) minutes.push(await silence());
    expect(minutes).toEqual([10, 20, 40, 80, 160, 320, 360]);
    await clock.advance(60 * MINUTE_MS);
    expect(await silence()).toBe(10);
  });

  it("stays off where the configuration has it so, and nothing is ended for it", () => {
    const { sound, fail, ended } = listen({ muted: true });
    fail("stalled", "stalled", "stalled");
    expect([sound.muted, ended()]).toEqual([true, 0]);
  });
});
