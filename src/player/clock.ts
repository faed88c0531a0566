import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Instant } from "../core/spot.ts";

/** Where the player gets its time from; tests hand in one that they turn by hand. */
export interface Clock {
  /** Names the span over which `now` can be compared: the machine's boot where it has an id, else this run. */
  readonly bootId: string;
  /** Monotonic milliseconds; never jumps, means nothing outside `bootId`. */
  now(): Instant;
  /** Wall clock, milliseconds since the Unix epoch; can jump at any time, in any direction. */
  wall(): Instant;
  /** Calls `ring` once `now()` has reached `at`, never before; the function it returns calls it off. */
  alarm(at: Instant, ring: () => void): () => void;
}

/** The machine's clocks. Monotonic time is the kernel's, so that two runs within one boot can be compared. */
export function systemClock(): Clock {
  const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;
  return {
    bootId: readBootId(),
    now,
    wall: () => Date.now(),
    alarm(at, ring) {
      let callOff = () => {};
      const wait = (leftMs: number) => {
        if (leftMs < WAKEFUL_MS) {
          const turn = setImmediate(wake);
          callOff = () => clearImmediate(turn);
        } else {
          const timer = setTimeout(wake, Math.min(Math.max(1, Math.floor(leftMs) - 1), LONGEST_TIMER_MS));
          callOff = () => clearTimeout(timer);
        }
      };
      const wake = () => {
        const leftMs = at - now();
        if (leftMs <= 0) ring();
        else wait(leftMs);
      };
      wait(at - now());
      return () => callOff();
    },
  };
}

/** Node's timers ring a millisecond or two late: so long before its time an alarm looks at every turn of the event loop. */
const WAKEFUL_MS = 2;

/** Node's timers take at most 2^31 - 1 ms; a shorter step also bounds what a suspended machine can oversleep. */
const LONGEST_TIMER_MS = 60_000;

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}
