import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../../src/core/loop.ts";
import { OpeningWatch } from "../../../src/player/screen/opening-watch.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";

const CLOSES = Date.UTC(2026, 0, 1, 9);
const MINUTE_MS = 60_000;
/** Open all week but for the hour that begins then, a Thursday in UTC. */
const opening = { hours: Array.from({ length: 168 }, (_, hour) => hour !== 3 * 24 + 9), timeZone: "UTC" };

/** Real clocks go on from one reading to the next, now more and now less. */
function clockThatRuns(seed: number) {
  let at = 0;
  let dice = seed;
  let alarm: { readonly at: number; readonly ring: () => void } | null = null;
  return {
    bootId: "boot",
    now: () => {
      dice = (dice * 1103515245 + 12345) % 2 ** 31;
      at += dice / 2 ** 32;
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

describe("a screen's opening hours", () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    "end on their minute, though the clock goes on between two readings, by seed %d",
    (seed) => {
      const clock = clockThatRuns(seed);
      const serviceClock = new ServiceClock(clock);
      serviceClock.hear(CLOSES - 1.5 * MINUTE_MS);
      const { signal } = new AbortController();
      const watch = new OpeningWatch({ clock, serviceClock, opening, log: pino({ level: "silent" }), signal });
      const told: LoopEvent[] = [];
      watch.start((event) => told.push(event));
      clock.runTo(1.5 * MINUTE_MS - 5);
      expect(told).toEqual([]);
      clock.runTo(1.5 * MINUTE_MS + 5);
      expect(told).toEqual([{ kind: "rest", because: "closed" }]);
    },
  );
});
