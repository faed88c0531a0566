import { describe, expect, it } from "vitest";
import { ManualClock } from "./manual-clock.ts";

describe("the clock turned by hand", () => {
  it("rings alarms in their order, each at its own time", async () => {
    const clock = new ManualClock();
    const rung: [string, number][] = [];
    clock.alarm(300, () => rung.push(["late", clock.now()]));
    clock.alarm(100, () => rung.push(["early", clock.now()]));
    clock.alarm(900, () => rung.push(["never", clock.now()]));
    await clock.advance(500);
    expect(rung).toEqual([
      ["early", 100],
      ["late", 300],
    ]);
    expect(clock.now()).toBe(500);
  });

  it("rings what an alarm sets in turn, once promises have settled", async () => {
    const clock = new ManualClock();
    const rung: number[] = [];
    clock.alarm(100, async () => {
      await Promise.resolve();
      clock.alarm(200, () => rung.push(clock.now()));
    });
    await clock.advance(1_000);
    expect(rung).toEqual([200]);
  });

  it("does not ring what was called off", async () => {
    const clock = new ManualClock();
    let rung = 0;
    clock.alarm(100, () => rung++)();
    await clock.advance(200);
    expect(rung).toBe(0);
  });

  it("rings soon for a time that has come, but not within the call", async () => {
    const clock = new ManualClock();
    let rung = 0;
    clock.alarm(0, () => rung++);
    expect(rung).toBe(0);
    await clock.settle();
    expect(rung).toBe(1);
  });

  it("keeps monotonic time when the wall clock jumps, and begins anew with a boot", async () => {
    const clock = new ManualClock(1_000_000);
    await clock.advance(50);
    clock.jumpWall(-900_000);
    expect([clock.now(), clock.wall(), clock.bootId]).toEqual([50, 100_050, "boot-1"]);
    clock.reboot(30);
    expect([clock.now(), clock.wall(), clock.bootId]).toEqual([0, 100_080, "boot-2"]);
  });
});
