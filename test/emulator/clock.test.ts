import { describe, expect, it } from "vitest";
import { virtualClock } from "../../src/emulator/clock.ts";
import { ManualClock } from "../support/player/manual-clock.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");

describe("the virtual clock", () => {
  it("follows its source, and its wall clock only where it begins", async () => {
    const source = new ManualClock(NOON);
    const clock = virtualClock(source);

    await source.advance(1500);
    source.jumpWall(-3_600_000);

    expect(clock.reading()).toEqual({ mode: "real", now: NOON + 1500, speed: 1 });
  });

  it("stands still when frozen, until it is advanced", async () => {
    const source = new ManualClock(NOON);
    const clock = virtualClock(source, { mode: "frozen", now: 1000 });

    await source.advance(5000);
    clock.advance(250);

    expect(clock.now()).toBe(1250);
  });

  it("runs at a multiple of its source's pace from the moment that is set", async () => {
    const source = new ManualClock(NOON);
    const clock = virtualClock(source);
    await source.advance(1000);

    clock.set({ mode: "real", speed: 60 });
    await source.advance(1000);

    expect(clock.now()).toBe(NOON + 61_000);
  });

  it("goes on from where it stood when it is thawed", async () => {
    const source = new ManualClock(NOON);
    const clock = virtualClock(source, { mode: "frozen", now: 1000 });
    await source.advance(5000);

    clock.set({ mode: "real" });
    await source.advance(7);

    expect(clock.now()).toBe(1007);
  });

  it("keeps the time that it was advanced by while it runs", async () => {
    const source = new ManualClock(NOON);
    const clock = virtualClock(source);

    clock.advance(3_600_000);
    await source.advance(1);

    expect(clock.now()).toBe(NOON + 3_600_001);
  });

  it("is reset to how it was made", async () => {
    const frozen = virtualClock(new ManualClock(NOON), { mode: "frozen", now: 1000 });
    frozen.set({ mode: "real", now: 5000, speed: 3 });
    const source = new ManualClock(NOON);
    const real = virtualClock(source);
    real.advance(99_000);
    await source.advance(10);

    frozen.reset();
    real.reset();

    expect(frozen.reading()).toEqual({ mode: "frozen", now: 1000, speed: 1 });
    expect(real.reading()).toEqual({ mode: "real", now: NOON + 10, speed: 1 });
  });

  it("does not pass the year 9999, however far it is advanced", () => {
    const clock = virtualClock(new ManualClock(NOON), { mode: "frozen" });

    clock.advance(Number.MAX_SAFE_INTEGER);

    expect(new Date(clock.now()).toISOString()).toBe("9999-01-01T00:00:00.000Z");
  });
});

describe("a clock that a program sets", () => {
  it.each([
    ["a time that is text", { now: "2026-03-02T08:00:00Z" }, "the clock: now: Invalid input: expected number"],
    ["no time at all", { now: Number.NaN }, "the clock: now: Invalid input"],
    ["a time before 1970", { now: -1 }, "the clock: now: must lie between 1970 and 9999"],
    ["a speed that stands still", { speed: 0 }, "the clock: speed: Too small"],
    ["another mode", { mode: "paused" }, "the clock: mode: Invalid option"],
    ["another name", { at: 1 }, 'the clock: Unrecognized key: "at"'],
  ])("refuses %s, and goes on as it was", (_, setting, complaint) => {
    const clock = virtualClock(undefined, { mode: "frozen", now: 1_000 });
    expect(() => clock.set(setting as never)).toThrow(complaint);
    expect(clock.reading()).toEqual({ mode: "frozen", now: 1_000, speed: 1 });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "1000"])("is not moved on by %s", (ms) => {
    const clock = virtualClock(undefined, { mode: "frozen", now: 1_000 });
    expect(() => clock.advance(ms as never)).toThrow("the clock is moved on: ");
    expect(clock.now()).toBe(1_000);
  });
});
