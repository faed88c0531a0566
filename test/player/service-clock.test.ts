import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DRIFT } from "../../src/core/network/service-offset.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { tellTime } from "../support/player/service-time.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A single answer leaves a second open, and the middle of it is most likely. */
const HALF = 500;

/** A clock of the service's that has heard these, and how often it told that the time is known or another. */
function heard(...times: readonly (number | null)[]) {
  const clock = new ManualClock(77);
  const serviceClock = new ServiceClock(clock);
  const told: (number | null)[] = [];
  serviceClock.listen(() => told.push(serviceClock.read().service));
  for (const time of times) serviceClock.hear(time);
  const { service, serviceWithinMs } = serviceClock.read();
  return { clock, serviceClock, told, service, serviceWithinMs };
}

describe("the service's clock", () => {
  it("is unknown until two answers of the service say the same (G13)", () => {
    expect(heard()).toMatchObject({ service: null, serviceWithinMs: null });
    expect(heard(1_000_000)).toMatchObject({ service: null, serviceWithinMs: null, told: [] });
    expect(heard(1_000_000, 1_000_000)).toMatchObject({
      ...{ service: 1_000_000 + HALF, serviceWithinMs: HALF, told: [1_000_000 + HALF] },
    });
  });

  it("is known exactly where one answer came as a second began, and another as it ended", () => {
    expect(heard(1_000_000, 1_001_000)).toMatchObject({ service: 1_001_000, serviceWithinMs: 0, told: [1_001_000] });
  });

  it("counts the time that an answer was on its way as open", () => {
    const { clock, serviceClock } = heard();
    for (const time of [1_000_000, 1_000_000]) serviceClock.hear(time, { sentAt: -300, heardAt: -100 });
    // Read between 300 and 100 ms ago, and then up to a second further than was told.
    expect(serviceClock.read()).toMatchObject({ service: 1_000_000 + (100 + 1_300) / 2 });
    expect(serviceClock.read().serviceWithinMs).toBeCloseTo(600, 1);
    expect(clock.now()).toBe(0);
  });

  it("comes closer to the truth with each answer at another part of a second", async () => {
    const { clock, serviceClock } = heard(DAY, DAY);
    const within: (number | null)[] = [];
    for (const pauseMs of [5_300, 5_300, 5_300]) {
      await clock.advance(pauseMs);
      // The service's clock shows DAY + 400 at 0.
      serviceClock.hear(Math.floor((DAY + 400 + clock.now()) / 1_000) * 1_000);
      within.push(serviceClock.read().serviceWithinMs);
    }
    const truth = DAY + 400 + clock.now();
    const { service, serviceWithinMs } = serviceClock.read();
    expect(within.map((ms) => Math.round(ms ?? -1))).toEqual([350, 150, 151]);
    expect(Math.abs((service ?? 0) - truth)).toBeLessThanOrEqual(serviceWithinMs ?? 0);
  });

  it("always has the true time within what it says, whatever answers come when", () => {
    const call = fc.record({
      pauseMs: fc.double({ min: 0, max: 200_000, noNaN: true }),
      thereMs: fc.double({ min: 0, max: 3_000, noNaN: true }),
      backMs: fc.double({ min: 0, max: 3_000, noNaN: true }),
    });
    const offset = fc.double({ min: 0, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(offset, fc.array(call, { minLength: 2, maxLength: 30 }), (offsetMs, calls) => {
        let now = 0;
        const serviceClock = new ServiceClock({ bootId: "b", now: () => now, wall: () => now, alarm: () => () => {} });
        for (const { pauseMs, thereMs, backMs } of calls) {
          const sentAt = now + pauseMs;
          const time = Math.floor((sentAt + thereMs + offsetMs) / 1_000) * 1_000;
          now = sentAt + thereMs + backMs;
          serviceClock.hear(time, { sentAt, heardAt: now });
          const { service, serviceWithinMs } = serviceClock.read();
          if (service === null || serviceWithinMs === null) continue;
          expect(Math.abs(service - (now + offsetMs))).toBeLessThanOrEqual(serviceWithinMs + 0.01);
        }
        expect(serviceClock.read().service).not.toBeNull();
      }),
    );
  });

  it("stays unknown as long as no two answers in a row say the same", () => {
    expect(heard(1_000_000, 1_000_000 + DAY, 1_000_000, 1_000_000 - DAY)).toMatchObject({ service: null, told: [] });
  });

  it("runs on the monotonic clock, whatever the wall clock does, and is told less exactly the longer that is", async () => {
    const { clock, serviceClock } = heard();
    tellTime(serviceClock, 1_000_000);
    clock.jumpWall(DAY);
    await clock.advance(500);
    const reading = { bootId: "boot-1", now: 500, wall: clock.wall(), service: 1_000_500 };
    expect(serviceClock.read()).toEqual({ ...reading, serviceWithinMs: expect.closeTo(500 * DRIFT, 6) });
  });

  it("follows each answer by up to an hour at once, and tells nobody", () => {
    const known = DAY + HOUR;
    expect(heard(DAY, DAY, known)).toMatchObject({ service: known + HALF, told: [DAY + HALF] });
  });

  it("believes a jump of more than an hour once a second answer says the same, and tells of it (G13)", () => {
    const later = DAY + 60 * DAY;
    expect(heard(DAY, DAY, later)).toMatchObject({ service: DAY + HALF, told: [DAY + HALF] });
    expect(heard(DAY, DAY, later, later)).toMatchObject({
      ...{ service: later + HALF, told: [DAY + HALF, later + HALF] },
    });
    expect(heard(DAY, DAY, later, DAY, later)).toMatchObject({ service: DAY + HALF, told: [DAY + HALF] });
  });

  it("is taken to be this machine's where the service answers twice and does not tell the time", () => {
    expect(heard(null).service).toBeNull();
    expect(heard(null, null)).toMatchObject({ service: 77, serviceWithinMs: null, told: [77] });
  });

  it("is not taken to be this machine's once an answer told another that nothing bears out yet (G13)", () => {
    expect(heard(DAY, null, null, null)).toMatchObject({ service: null });
    expect(heard(DAY, null, null, DAY)).toMatchObject({ service: DAY + HALF });
  });

  it("does not forget what it heard when answers come without the time", () => {
    expect(heard(1_000_000, 1_000_000, null, null)).toMatchObject({
      ...{ service: 1_000_000 + HALF, told: [1_000_000 + HALF] },
    });
  });

  it("leaves open what the monotonic clock may have missed of a sleep", () => {
    const { serviceClock } = heard();
    tellTime(serviceClock, DAY);
    serviceClock.loosen(1_000);
    expect(serviceClock.read()).toMatchObject({ service: DAY, serviceWithinMs: 1_000 });
    serviceClock.hear(DAY + 1_000);
    expect(serviceClock.read()).toMatchObject({ service: DAY + 1_000, serviceWithinMs: 0 });
  });

  it("says whether it waits for another answer", () => {
    const { serviceClock } = heard();
    const awaited = [DAY, DAY, 2 * DAY, DAY].map((time) => {
      const before = serviceClock.isAwaited;
      serviceClock.hear(time);
      return [before, serviceClock.isAwaited];
    });
    expect(awaited).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it("tells nobody who is not to be told any more", () => {
    const serviceClock = new ServiceClock(new ManualClock());
    let told = 0;
    serviceClock.listen(() => told++)();
    serviceClock.hear(DAY);
    serviceClock.hear(DAY);
    expect(told).toBe(0);
  });
});
