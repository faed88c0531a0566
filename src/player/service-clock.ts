import {
  boundsAt,
  boundsOf,
  loosened,
  middleOf,
  narrowed,
  type OffsetBounds,
  type RoundTrip,
  type TimeAnswer,
  tellingAt,
} from "../core/network/service-offset.ts";
import type { Instant } from "../core/spot.ts";
import type { Clock } from "./clock.ts";

/** All clocks read at one instant. */
export interface ClockReading {
  /** Names the boot in which `now` means something. */
  readonly bootId: string;
  /** Monotonic milliseconds. */
  readonly now: Instant;
  /** This machine's wall clock, epoch milliseconds; it can be wrong, and jump. */
  readonly wall: Instant;
  /** The service's wall clock, epoch milliseconds, or null until two of its answers agreed about it (G13). */
  readonly service: Instant | null;
  /** `service` is this close to the true time, by what the answers leave open; null where none of them tells. */
  readonly serviceWithinMs: number | null;
}

/** An answer that is off by more than this from what is known, or from nothing known, needs a second one (G13). */
const LARGEST_STEP_MS = 3_600_000;

/** Two answers say the same within this: an answer may be on its way for a while. */
const SAME_WITHIN_MS = 60_000;

/** How many answers without the time show that the service never tells it. */
const ANSWERS_WITHOUT_TIME = 2;

/**
 * Keeps the service's wall clock, told by its own successful answers, running on the monotonic clock: so a jump of the
 * machine's own wall clock changes nothing. One wrong answer changes nothing either: the first time that is told, and
 * one that is more than an hour off, count once a second answer says the same (G13). Each answer tells a whole second
 * only; several together tell far less than one. A service that answers twice without telling the time is taken to agree
 * with this machine.
 */
export class ServiceClock {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  /** How far the service's clock is ahead of the monotonic one. */
  #ahead: OffsetBounds | null = null;
  /** What one answer said that nothing bears out yet. */
  #unconfirmed: OffsetBounds | null = null;
  #withoutTime = 0;
  /** Of the last answer that told the time. */
  #roundTripMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `listener` whenever the service's time has become known, or another by more than an hour, until called off. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes in the `Date` of an answer, epoch milliseconds, or null where it had none; and when it was asked for and came,
   * both just now unless told. Only for answers of the service itself, with a 2xx: another host that answers in its place knows
   * another time, or none.
   */
  hear(time: Instant | null, { sentAt, heardAt }: RoundTrip = this.#justNow()): void {
    if (time === null) this.#hearNone();
    else this.#hearTime({ time, sentAt, heardAt });
  }

  /** Tells that the monotonic clock may have stepped by as much, in either direction: after a sleep, say. */
  loosen(stepMs: number): void {
    if (this.#ahead !== null) this.#ahead = loosened(this.#ahead, stepMs);
    if (this.#unconfirmed !== null) this.#unconfirmed = loosened(this.#unconfirmed, stepMs);
  }

  /** When, from now on and within a second, a request tells most of the service's time; now where nothing is to be gained. */
  tellingAt(): Instant {
    const now = this.#clock.now();
    return this.#ahead === null ? now : tellingAt(this.#ahead, this.#roundTripMs, now);
  }

  /** Whether another answer is needed to know the service's time. */
  get isAwaited(): boolean {
    return this.#unconfirmed !== null || this.read().service === null;
  }

  read(): ClockReading {
    const now = this.#clock.now();
    const wall = this.#clock.wall();
    const here = { bootId: this.#clock.bootId, now, wall };
    if (this.#ahead === null) {
      const tellsNone = this.#unconfirmed === null && this.#withoutTime >= ANSWERS_WITHOUT_TIME;
      return { ...here, service: tellsNone ? wall : null, serviceWithinMs: null };
    }
    const { offsetMs, withinMs } = middleOf(boundsAt(this.#ahead, now));
    return { ...here, service: now + offsetMs, serviceWithinMs: withinMs };
  }

  #hearTime(told: TimeAnswer): void {
    const said = boundsOf(told);
    this.#roundTripMs = told.heardAt - told.sentAt;
    const isStep = !isWithin(LARGEST_STEP_MS, this.#ahead, said);
    const before = isStep ? this.#unconfirmed : this.#ahead;
    if (before === null || (isStep && !isWithin(SAME_WITHIN_MS, before, said))) {
      this.#unconfirmed = said;
      return;
    }
    this.#unconfirmed = null;
    this.#ahead = narrowed(before, told);
    if (isStep) this.#tell();
  }

  #justNow(): RoundTrip {
    const now = this.#clock.now();
    return { sentAt: now, heardAt: now };
  }

  #hearNone(): void {
    this.#withoutTime++;
    if (this.#withoutTime === ANSWERS_WITHOUT_TIME && this.#ahead === null) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function isWithin(limitMs: number, known: OffsetBounds | null, said: OffsetBounds): boolean {
  return known !== null && Math.abs(middleOf(said).offsetMs - middleOf(known).offsetMs) <= limitMs;
}
