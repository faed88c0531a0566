import type { Instant } from "../core/spot.ts";
import type { Clock } from "./clock.ts";

/** One instant as all clocks show it. */
export interface Moment {
  /** Names the boot in which `now` means something. */
  readonly bootId: string;
  /** Monotonic milliseconds. */
  readonly now: Instant;
  /** This machine's wall clock, epoch milliseconds; it can be wrong, and jump. */
  readonly wall: Instant;
  /** The service's wall clock, epoch milliseconds, or null until it has answered. */
  readonly service: Instant | null;
}

/**
 * Keeps the service's wall clock, told by its answers, running on the monotonic clock: so a jump of the machine's own
 * wall clock changes nothing. A service that answers without telling the time is taken to agree with this machine.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs: number | null = null;
  #answered = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in the `Date` of an answer that came just now, epoch milliseconds, or null where it had none. */
  hear(serviceTime: Instant | null): void {
    this.#answered = true;
    if (serviceTime !== null) this.#aheadMs = serviceTime - this.#clock.now();
  }

  moment(): Moment {
    const now = this.#clock.now();
    const wall = this.#clock.wall();
    const untold = this.#answered ? wall : null;
    return { bootId: this.#clock.bootId, now, wall, service: this.#aheadMs === null ? untold : now + this.#aheadMs };
  }
}
