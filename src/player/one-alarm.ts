import type { Instant } from "../core/spot.ts";
import type { Clock } from "./clock.ts";

/** Never to ring. */
export const NEVER: Instant = Number.POSITIVE_INFINITY;

/** An alarm that is set again and again to the next of many instants, and costs nothing where that stays the same. */
export class OneAlarm {
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
