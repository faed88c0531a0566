import type { Instant } from "../../src/core/spot.ts";
import type { Clock } from "../../src/player/clock.ts";

interface Alarm {
  readonly at: Instant;
  readonly order: number;
  ring: (() => void) | null;
}

/** The most alarms that ring in one instant: a player that sets them for the past would never stop. */
const MOST_AT_ONCE = 1_000;

/**
 * The time of a simulated world, in milliseconds from its beginning. It stands still while anything is computed and
 * jumps from alarm to alarm; alarms of one instant ring in the order in which they were set.
 */
export class SimulatedTime {
  #now: Instant = 0;
  #orders = 0;
  #sameInstant = 0;
  readonly #heap: Alarm[] = [];

  now(): Instant {
    return this.#now;
  }

  /** An alarm for a time that has come already rings at the next step. */
  alarm(at: Instant, ring: () => void): () => void {
    const alarm: Alarm = { at: onGrid(Math.max(at, this.#now)), order: this.#orders++, ring };
    this.#push(alarm);
    return () => {
      alarm.ring = null;
    };
  }

  /** Moves on to the next alarm and rings it; false where there is none up to `end`, which is then now. */
  step(end: Instant): boolean {
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#pop();
      if (next.ring === null) continue;
      this.#sameInstant = next.at === this.#now ? this.#sameInstant + 1 : 0;
      if (this.#sameInstant > MOST_AT_ONCE) throw new Error("alarms of one instant follow each other without end");
      this.#now = next.at;
      next.ring();
      return true;
    }
    this.#now = Math.max(this.#now, end);
    return false;
  }

  #push(alarm: Alarm): void {
    const heap = this.#heap;
    let at = heap.push(alarm) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(alarm, heap[parent] as Alarm)) break;
      heap[at] = heap[parent] as Alarm;
      at = parent;
    }
    heap[at] = alarm;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Alarm;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Alarm, heap[child] as Alarm)) child++;
      if (!isBefore(heap[child] as Alarm, last)) break;
      heap[at] = heap[child] as Alarm;
      at = child;
    }
    heap[at] = last;
  }
}

/** In binary fractions of a millisecond, so that sums are exact and no alarm rings a rounding error too early. */
function onGrid(at: Instant): Instant {
  return Math.ceil(at * 1024) / 1024;
}

function isBefore(one: Alarm, other: Alarm): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A machine's clocks, as they run and as they go wrong. */
export class MachineClocks {
  readonly #time: SimulatedTime;
  readonly #epoch: Instant;
  #boots = 0;
  #bootedAt: Instant = 0;
  #wallAheadMs = 0;

  /** `epoch`: what the wall clock rightly shows at the beginning. */
  constructor(time: SimulatedTime, epoch: Instant) {
    this.#time = time;
    this.#epoch = epoch;
    this.boot();
  }

  /** Another boot: monotonic time from 0. */
  boot(): void {
    this.#boots++;
    this.#bootedAt = this.#time.now();
  }

  /** How far the wall clock is ahead of the right time. */
  get wallAheadMs(): number {
    return this.#wallAheadMs;
  }

  setWallAhead(ms: number): void {
    this.#wallAheadMs = ms;
  }

  /** The right time, milliseconds since the Unix epoch. */
  right(): Instant {
    return this.#epoch + this.#time.now();
  }

  /** The clock of one run of the player: its alarms are gone when `signal` is raised. */
  clockOfRun(signal: AbortSignal): Clock {
    const time = this.#time;
    const bootedAt = this.#bootedAt;
    return {
      bootId: `boot-${this.#boots}`,
      now: () => time.now() - bootedAt,
      wall: () => this.right() + this.#wallAheadMs,
      alarm: (at, ring) =>
        time.alarm(onGrid(at) + bootedAt, () => {
          if (!signal.aborted) ring();
        }),
    };
  }
}
