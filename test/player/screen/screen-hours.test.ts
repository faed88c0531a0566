import { writeFileSync } from "node:fs";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../../src/core/loop/loop.ts";
import { DRIFT } from "../../../src/core/network/service-offset.ts";
import { OpeningWatch, openScreenHours, type ScreenHoursParts } from "../../../src/player/screen/screen-hours.ts";
import { screenFile } from "../../../src/player/screen/screen-watch.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { tellTime } from "../../support/player/service-time.ts";

const CLOSES = Date.UTC(2026, 0, 1, 9);
const MINUTE_MS = 60_000;
/** Open all week but for the hour that begins then, a Thursday in UTC. */
const opening = { hours: Array.from({ length: 168 }, (_, hour) => hour !== 3 * 24 + 9), timeZone: "UTC" };

/** Real clocks go on from one reading to the next, now more and now less. */
function clockThatRuns(seed: number) {
  let at = 0;
  let random = seed;
  let alarm: { readonly at: number; readonly ring: () => void } | null = null;
  return {
    bootId: "boot",
    now: () => {
      random = (random * 1103515245 + 12345) % 2 ** 31;
      at += random / 2 ** 32;
      return at;
    },
    wall: () => at,
    alarm: (ringAt: number, ring: () => void) => {
      alarm = { at: ringAt, ring };
      return () => {
        alarm = null;
      };
    },
    /** Rings what was set, at its time to the microsecond, until it is so late. */
    runTo(end: number) {
      for (let next = alarm; next !== null && next.at < end; next = alarm) {
        alarm = null;
        at = Math.max(at, next.at);
        next.ring();
      }
    },
  };
}

/** A clock that goes on to its alarms only. */
function clockThatStands() {
  let at = 0;
  let alarm: { readonly at: number; readonly ring: () => void } | null = null;
  return {
    bootId: "boot",
    now: () => at,
    wall: () => at,
    alarm: (ringAt: number, ring: () => void) => {
      alarm = { at: ringAt, ring };
      return () => {
        alarm = null;
      };
    },
    runTo(end: number) {
      for (let next = alarm; next !== null && next.at < end; next = alarm) {
        alarm = null;
        at = next.at;
        next.ring();
      }
    },
  };
}

describe("a screen's opening hours", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    "end on their minute, though the clock goes on between two readings, by seed %d",
    (seed) => {
      const clock = clockThatRuns(seed);
      const serviceClock = new ServiceClock(clock);
      tellTime(serviceClock, CLOSES - 1.5 * MINUTE_MS);
      const { signal } = new AbortController();
      const watch = new OpeningWatch({ clock, serviceClock, opening, log: pino({ level: "silent" }), signal });
      const told: LoopEvent[] = [];
      watch.start((event) => told.push(event));
      clock.runTo(1.5 * MINUTE_MS - 5);
      expect(told).toEqual([]);
      clock.runTo(1.5 * MINUTE_MS + 5);
      expect(told).toEqual([{ kind: "suspend", because: "closed" }]);
    },
  );

  it("end only when it is certain, and begin when it is likely, where the time is not known exactly", () => {
    const [closesIn, opensIn] = [90_000, 90_000 + 3_600_000];
    const clock = clockThatStands();
    const serviceClock = new ServiceClock(clock);
    // Two answers that leave a second open: most likely it is half a second past what they tell.
    for (const _ of [1, 2]) serviceClock.hear(CLOSES - closesIn, { sentAt: 0, heardAt: 0 });
    const { signal } = new AbortController();
    const watch = new OpeningWatch({ clock, serviceClock, opening, log: pino({ level: "silent" }), signal });
    const told: [string, number][] = [];
    watch.start(({ kind }) => told.push([kind, clock.now()]));

    clock.runTo(opensIn + 60_000);

    expect(told.map(([kind]) => kind)).toEqual(["suspend", "resume"]);
    expect(told.map(([, at]) => Math.round(at))).toEqual([closesIn - 500, opensIn + Math.ceil(opensIn * DRIFT)]);
  });
});

it("the opening is not told to be over before the screen is open: until then its display would be switched off", () => {
  const dataDir = temporaryFolder();
  writeFileSync(screenFile(dataDir, "a"), JSON.stringify({ title: "a", opening, ads: "possible" }));
  const opens = CLOSES + 60 * MINUTE_MS;
  let now = opens - 1;
  const clock = { bootId: "boot", now: () => now, wall: () => now, alarm: () => () => {} };
  const read = () => ({ bootId: "boot", now, wall: now, service: now, serviceWithinMs: 400 });
  const serviceClock = { read, isAwaited: false } as unknown as ServiceClock;
  const service = { baseUrl: "http://127.0.0.1:1", orgToken: "x", spot: { timeoutSeconds: 1 } };
  const hours = openScreenHours({
    ...{ screenId: "a", clock, serviceClock, log: pino({ level: "silent" }), random: () => 0 },
    config: { ...service, dataDir, openingHours: { respect: true } } as ScreenHoursParts["config"],
    ...{ fetch: () => Promise.reject(new Error("no network")), signal: AbortSignal.abort() },
  });
  const told = [-1, 0, 1].map((afterMs) => {
    now = opens + afterMs;
    return hours.ads().opensAt;
  });
  expect(told).toEqual([opens, opens, opens]);
  now = opens + MINUTE_MS;
  expect(hours.ads().opensAt).toBeNull();
});
