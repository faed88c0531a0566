import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Instant } from "../core/spot.ts";
import { bootIdIn } from "./run-identity.ts";

/** Where the player gets its time from; tests hand in one that they turn by hand. */
export interface Clock {
  /** Names the span over which `now` can be compared: the machine's boot where that is known, else this run. */
  readonly bootId: string;
  /** Monotonic milliseconds; never jumps but for what the machine slept, and means nothing outside `bootId`. */
  now(): Instant;
  /** Wall clock, milliseconds since the Unix epoch; can jump at any time, in any direction. */
  wall(): Instant;
  /** Calls `ring` once `now()` has reached `at`, never before; the function it returns calls it off. */
  alarm(at: Instant, ring: () => void): () => void;
}

/** A clock of a machine that may sleep: `now` counts what it slept, once that is found out. */
export interface SleepingClock extends Clock {
  /**
   * Calls `listener` with what the machine has slept, before `now` counts it and any alarm rings that falls due by it: what
   * was on air then was not visible.
   */
  onWake(listener: (sleptMs: number) => void): void;
  /** Finds out whether the machine has slept. Each alarm does before it rings. */
  look(): void;
}

/** What the clock reads off the system. */
export interface Kernel {
  readonly bootId: string;
  /** Milliseconds since the machine started, without those that it slept. */
  monotonicMs(): number;
  /** The same, with those that it slept; null where `monotonicMs` counts them too, or nothing does. */
  uptimeMs(): number | null;
}

/** The clocks of this machine. `dataDir` keeps the name of its boot, where the system has none; null keeps none. */
export function systemClock(dataDir: string | null, platform = process.platform): SleepingClock {
  return clockOf({
    bootId: bootIdOf(dataDir, platform),
    monotonicMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
    // On Windows the monotonic clock goes on while the machine sleeps. Linux tells both; this is CLOCK_BOOTTIME.
    uptimeMs: () => (platform === "linux" ? uptime() * 1000 : null),
  });
}

/** Two readings of two clocks are never made at once, and one of them tells hundredths of a second: less is no sleep. */
export const SHORTEST_SLEEP_MS = 1_000;

interface Alarm {
  readonly at: Instant;
  /** Waits for the time that is left by now, in place of what it waited for. */
  readonly wait: () => void;
}

/** A clock by what a system tells. Monotonic time is the kernel's, so that two runs within one boot can be compared. */
export function clockOf(kernel: Kernel): SleepingClock {
  const alarms = new Set<Alarm>();
  const listeners: ((sleptMs: number) => void)[] = [];
  let sleptMs = sleptBy(kernel, 0);
  let looking = false;
  const now = () => kernel.monotonicMs() + sleptMs;

  /** Whether the machine has slept; then every alarm waits anew. */
  function look(): boolean {
    if (looking) return false;
    const found = sleptBy(kernel, sleptMs);
    if (found === sleptMs) return false;
    looking = true;
    for (const listener of listeners) listener(found - sleptMs);
    sleptMs = found;
    looking = false;
    for (const alarm of [...alarms].sort((one, other) => one.at - other.at)) alarm.wait();
    return true;
  }

  function alarm(at: Instant, ring: () => void): () => void {
    let stopWaiting = () => {};
    const entry: Alarm = {
      at,
      wait() {
        stopWaiting();
        const leftMs = at - now();
        if (leftMs < WAKEFUL_MS) {
          const turn = setImmediate(wake);
          stopWaiting = () => clearImmediate(turn);
        } else {
          const timer = setTimeout(timeUp, Math.min(Math.max(1, Math.floor(leftMs) - 1), LONGEST_TIMER_MS));
          stopWaiting = () => clearTimeout(timer);
        }
      },
    };
    const timeUp = () => {
      if (!look()) wake();
    };
    const wake = () => {
      if (at > now()) return entry.wait();
      alarms.delete(entry);
      ring();
    };
    alarms.add(entry);
    entry.wait();
    return () => {
      alarms.delete(entry);
      stopWaiting();
    };
  }

  return {
    bootId: kernel.bootId,
    now,
    wall: () => Date.now(),
    alarm,
    onWake: (listener) => void listeners.push(listener),
    look: () => void look(),
  };
}

/** Resolves at an instant, or as soon as the signal is raised; at once where either is past. */
export async function reached(at: Instant, clock: Pick<Clock, "now" | "alarm">, signal: AbortSignal): Promise<void> {
  if (signal.aborted || at <= clock.now()) return;
  await new Promise<void>((resolve) => {
    const callOff = clock.alarm(at, end);
    signal.addEventListener("abort", end, { once: true });
    function end(): void {
      callOff();
      signal.removeEventListener("abort", end);
      resolve();
    }
  });
}

/** How long before its time an alarm looks at every turn of the event loop: Node's timers ring up to 2 ms late. */
const WAKEFUL_MS = 2;

/** Node's timers take at most 2^31 - 1 ms; a shorter step also bounds what a machine that slept can oversleep. */
const LONGEST_TIMER_MS = 60_000;

/** How long the machine has slept since it started, where that is more than is known. */
function sleptBy(kernel: Kernel, knownMs: number): number {
  const uptimeMs = kernel.uptimeMs();
  if (uptimeMs === null) return knownMs;
  const sleptMs = uptimeMs - kernel.monotonicMs();
  return sleptMs - knownMs < SHORTEST_SLEEP_MS ? knownMs : sleptMs;
}

function bootIdOf(dataDir: string | null, platform: NodeJS.Platform): string {
  const named = platform === "linux" ? kernelBootId() : null;
  if (named !== null) return named;
  if (dataDir === null) return randomUUID();
  return bootIdIn(join(dataDir, "boot.json"), { wall: Date.now(), uptimeMs: uptime() * 1000 });
}

/** Of Linux only: elsewhere this would be anybody's file on the drive that the process happens to be on. */
function kernelBootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** Never to ring. */
export const NEVER: Instant = Number.POSITIVE_INFINITY;

/** A timer that is set again and again to the next of many instants, and costs nothing where that stays the same. */
export class Timer {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at: Instant = NEVER;
  #callOff = () => {};

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at the earliest of these, in place of when it would have. */
  set(...instants: readonly Instant[]): void {
    const at = Math.min(...instants);
    if (at === this.#at) return;
    this.#callOff();
    this.#at = at;
    this.#callOff = at === NEVER ? () => {} : this.#clock.alarm(at, () => this.#rang());
  }

  /** Rings at this instant too. */
  add(at: Instant): void {
    this.set(at, this.#at);
  }

  #rang(): void {
    this.#at = NEVER;
    this.#ring();
  }
}
