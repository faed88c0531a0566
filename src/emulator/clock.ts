import { z } from "zod";
import type { Instant } from "../core/spot.ts";
import { insisted } from "./problems.ts";

/** Where a virtual clock takes its pace from: monotonic and wall clock time in milliseconds, as the player's clock has. */
export interface TimeSource {
  now(): Instant;
  wall(): Instant;
}

/** How the virtual clock runs: `real` at `speed` times its source's pace, `frozen` only when it is moved. */
export type ClockMode = "real" | "frozen";

/** `now` in milliseconds since the Unix epoch. */
export interface ClockReading {
  readonly mode: ClockMode;
  readonly now: Instant;
  readonly speed: number;
}

/** What is left out stays as it is: without `now` the time goes on from where it is. */
export interface ClockSetting {
  readonly mode?: ClockMode | undefined;
  readonly now?: Instant | undefined;
  readonly speed?: number | undefined;
}

/** The network's own time: it drives the proof-of-play hour, opening hours, rate limits and timestamps (F7). */
export interface VirtualClock {
  /** Whole milliseconds since the Unix epoch. */
  now(): Instant;
  reading(): ClockReading;
  /** Throws a `TypeError` where that is no setting. */
  set(setting: ClockSetting): void;
  /** Moves the time on, in either mode. Throws a `TypeError` where that is no time. */
  advance(ms: number): void;
  /** Back to how it was made. */
  reset(): void;
  /** Another clock that shows the same now and goes its own way. */
  fork(): VirtualClock;
  /** Tells `moved` whenever the time was set, advanced or reset, until the function that it returns is called. */
  onMoved(moved: () => void): () => void;
}

/** The farthest the time may be set, so that every instant is a four-digit year in ISO 8601. */
export const LATEST_INSTANT: Instant = Date.UTC(9999, 0, 1);
/** A faster clock would jump over the hour between two calls. */
const FASTEST_SPEED = 10_000;
/** A timer can be set no farther ahead; by then it is looked at again. */
const LONGEST_TIMER_MS = 60_000;

const instant = z.number().refine((at) => at >= 0 && at <= LATEST_INSTANT, "must lie between 1970 and 9999");
const settings = {
  mode: z.enum(["real", "frozen"]).optional(),
  now: instant.optional(),
  speed: z.number().positive().max(FASTEST_SPEED).optional(),
};

/** A clock setting in JSON: `{"mode":"real"|"frozen","now":"2026-03-02T08:00:00Z","speed":1}`. */
export const clockSettingSchema = z.strictObject({
  ...settings,
  now: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .pipe(instant)
    .optional(),
});

const settingSchema: z.ZodType<ClockSetting> = z.strictObject(settings);
const stepSchema = z.number().nonnegative();

/** A virtual clock over a source; without a start it follows the source's wall clock. */
export function virtualClock(source: TimeSource = machineTime(), start: ClockSetting = {}): VirtualClock {
  let mode: ClockMode = "real";
  let speed = 1;
  let sinceVirtual = 0;
  let sinceSource = 0;
  const listeners = new Set<() => void>();

  const now = () => {
    const elapsedMs = mode === "frozen" ? 0 : (source.now() - sinceSource) * speed;
    return Math.min(Math.floor(sinceVirtual + elapsedMs), LATEST_INSTANT);
  };
  const anchor = (at: Instant) => {
    sinceVirtual = Math.min(at, LATEST_INSTANT);
    sinceSource = source.now();
  };
  const tell = () => {
    for (const moved of [...listeners]) moved();
  };
  const set = (given: ClockSetting) => {
    const setting = insisted("the clock", settingSchema, given);
    anchor(setting.now ?? now());
    mode = setting.mode ?? mode;
    speed = setting.speed ?? speed;
    tell();
  };
  const advance = (ms: number) => {
    anchor(now() + insisted("the clock is moved on", stepSchema, ms));
    tell();
  };
  const onMoved = (moved: () => void) => {
    listeners.add(moved);
    return () => void listeners.delete(moved);
  };
  const reset = () => {
    set({ mode: start.mode ?? "real", speed: start.speed ?? 1, now: start.now ?? source.wall() });
  };
  reset();
  const reading = () => ({ mode, now: now(), speed });
  return { now, set, reset, advance, onMoved, reading, fork: () => virtualClock(source, reading()) };
}

/**
 * A clock's time from now on, by which something is held up: it never goes back, since what a reset or a restored snapshot
 * takes back does not have to pass once more, and goes on at the machine's pace while the clock is frozen.
 */
export function steady(clock: VirtualClock): () => Instant {
  let seen = clock.now();
  let ahead = 0;
  let frozenSince = frozenNow(clock);
  return () => {
    const now = clock.now();
    if (frozenSince !== null) ahead += performance.now() - frozenSince;
    frozenSince = frozenNow(clock);
    ahead += Math.max(0, seen - now);
    seen = now;
    return now + ahead;
  };
}

/** The machine's monotonic time where the clock is frozen, else null. */
function frozenNow(clock: VirtualClock): Instant | null {
  return clock.reading().mode === "frozen" ? performance.now() : null;
}

/** Resolves once an instant has come by a clock's `steady` time, or at once when it no longer matters. */
export function reached(clock: VirtualClock, now: () => Instant, until: Instant, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      clearTimeout(timer);
      const leftMs = until - now();
      if (leftMs <= 0 || signal.aborted) return end();
      const { mode, speed } = clock.reading();
      const pace = mode === "real" ? speed : 1;
      timer = setTimeout(look, Math.min(Math.ceil(leftMs / pace), LONGEST_TIMER_MS));
    };
    const forget = clock.onMoved(() => look());
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener("abort", look);
      resolve();
    };
    signal.addEventListener("abort", look);
    look();
  });
}

function machineTime(): TimeSource {
  return { now: () => performance.now(), wall: () => Date.now() };
}
