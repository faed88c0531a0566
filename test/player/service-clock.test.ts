import { describe, expect, it } from "vitest";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";

describe("the service's clock", () => {
  it("is unknown until the service has answered", () => {
    expect(new ServiceClock(new ManualClock()).moment().service).toBeNull();
  });

  it("runs on the monotonic clock, whatever the wall clock does", async () => {
    const clock = new ManualClock();
    const serviceClock = new ServiceClock(clock);
    serviceClock.hear(1_000_000);
    clock.jumpWall(24 * 3_600_000);
    await clock.advance(500);
    expect(serviceClock.moment()).toEqual({ bootId: "boot-1", now: 500, wall: clock.wall(), service: 1_000_500 });
  });

  it("is taken to be this machine's where the service does not tell the time", () => {
    const clock = new ManualClock(77);
    const serviceClock = new ServiceClock(clock);
    serviceClock.hear(null);
    expect(serviceClock.moment().service).toBe(77);
  });

  it("does not forget what it heard when an answer comes without the time", () => {
    const serviceClock = new ServiceClock(new ManualClock());
    serviceClock.hear(1_000_000);
    serviceClock.hear(null);
    expect(serviceClock.moment().service).toBe(1_000_000);
  });
});
