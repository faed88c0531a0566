import type { Instant } from "../../src/core/spot.ts";
import type { Clock } from "../../src/player/clock.ts";

/**
 * How fast a fleet lives: from `startedAt`, epoch milliseconds, at which its clocks agree with the machine's, they go `speed`
 * times as fast, a whole number. Players, screen network and rules alike, so that nobody can tell.
 */
export interface Pace {
  readonly speed: number;
  readonly startedAt: Instant;
}

/** What the fleet's wall clocks show, epoch milliseconds. */
export function fleetTime({ speed, startedAt }: Pace, wall: Instant = Date.now()): Instant {
  return startedAt + (wall - startedAt) * speed;
}

/** How long so much of the fleet's time really takes, in milliseconds. */
export function realMs({ speed }: Pace, fleetMs: number): number {
  return fleetMs / speed;
}

/** A clock whose wall time can be set wrong. */
export interface KioskClock extends Clock {
  /** Puts the wall clock so many milliseconds ahead of the fleet's. */
  setAhead(ms: number): void;
}

/** Node takes no timer for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The clocks of a kiosk in a fleet, over the monotonic clock of a boot in milliseconds. `bootId` must be the same for players of
 * one boot.
 */
export function kioskClock(pace: Pace, bootId: string, monotonic: () => number): KioskClock {
  let aheadMs = 0;
  const now = () => monotonic() * pace.speed;
  return {
    bootId,
    now,
    wall: () => fleetTime(pace) + aheadMs,
    setAhead(ms) {
      aheadMs = ms;
    },
    alarm(at, ring) {
      let timer: NodeJS.Timeout;
      const wait = () => {
        const leftMs = Math.ceil(realMs(pace, at - now()));
        timer = setTimeout(look, Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS));
      };
      const look = () => {
        if (now() < at) wait();
        else ring();
      };
      wait();
      return () => clearTimeout(timer);
    },
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };

/** Before a duration in the rules, and in the configuration of Prometheus and Alertmanager. */
const DURATIONS = /(\bfor: |\[|\boffset |\b[a-z]+_(?:interval|wait|deadline): )(\d+)([smhd])\b/g;

/**
 * Rules or a configuration for a fleet that lives faster: the same text, with each duration divided, and `time()` in rules
 * giving the fleet's time. Nothing else is changed.
 */
export function atPace(text: string, { speed, startedAt }: Pace): string {
  if (speed === 1) return text;
  const faster = text.replaceAll(DURATIONS, (_, before: string, count: string, unit: string) => {
    return `${before}${durationAt(speed, Number(count) * (UNITS_MS[unit] ?? Number.NaN))}`;
  });
  return faster.replaceAll("time()", `(${speed} * time() - ${((speed - 1) * startedAt) / 1_000})`);
}

/** So much of the fleet's time as Prometheus writes a duration. */
export function durationAt(speed: number, fleetMs: number): string {
  return `${Math.max(1, Math.round(fleetMs / speed))}ms`;
}
