import type { Logger } from "pino";
import type { LoopEvent } from "../../core/loop.ts";
import { isOpen, type Opening } from "../../core/opening.ts";
import type { RestReason } from "../../core/rest.ts";
import type { Clock } from "../clock.ts";
import { OneAlarm } from "../one-alarm.ts";
import type { ServiceClock } from "../service-clock.ts";

export interface OpeningWatchParts {
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** As last known, or null. */
  readonly opening: Opening | null;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Hours change on whole minutes everywhere; looking each minute also bounds what a clock that jumps can do. */
const EVERY_MS = 60_000;

/**
 * A screen that does not know its hours yet, or is closed by nothing but the machine's own clock, waits so long for the
 * service's word before it plays, or goes dark: unknown hours are open ones, and a machine's clock can be years off.
 */
const AWAITED_MS = 5_000;

/**
 * Lets one screen rest while its location is closed, by the service's wall clock where that is known, else by the
 * machine's.
 */
export class OpeningWatch {
  readonly #parts: OpeningWatchParts;
  readonly #alarm: OneAlarm;
  readonly #awaitedUntil: number;
  #opening: Opening | null;
  #awaited: boolean;
  #told: RestReason | null;
  #tell: (event: LoopEvent) => void = () => {};

  constructor(parts: OpeningWatchParts) {
    this.#parts = parts;
    this.#opening = parts.opening;
    const { service, wall } = parts.serviceClock.moment();
    this.#awaited = parts.opening === null || (service === null && !isOpen(parts.opening, wall));
    this.#awaitedUntil = parts.clock.now() + AWAITED_MS;
    this.#alarm = new OneAlarm(parts.clock, () => this.#look());
    this.#told = this.#reason(service ?? wall);
  }

  /** Why the screen rests from the start; none where it is open. */
  reasons(): readonly RestReason[] {
    return this.#told === null ? [] : [this.#told];
  }

  /** Tells a loop that was begun with `reasons` from now on when it is to rest and when not. */
  start(tell: (event: LoopEvent) => void): void {
    this.#tell = tell;
    this.#parts.signal.addEventListener("abort", () => this.#alarm.set());
    this.#look();
  }

  /** Takes in what was read: hours, or that they are not known. */
  learn(opening: Opening | null): void {
    this.#opening = opening;
    this.#awaited = false;
    this.#look();
  }

  #look(): void {
    if (this.#parts.signal.aborted) return;
    const { clock, log } = this.#parts;
    const now = clock.now();
    // Once for all that follows: between two readings the minute could begin.
    const wall = this.#wall();
    if (now >= this.#awaitedUntil) this.#awaited = false;
    const before = this.#told;
    const reason = this.#reason(wall);
    this.#told = reason;
    if (before !== reason) {
      if (reason === "closed" || before === "closed") log.info(reason === "closed" ? "closed" : "open");
      if (reason !== null) this.#tell({ kind: "rest", because: reason });
      if (before !== null) this.#tell({ kind: "rouse", because: before });
    }
    const nextMinute = now + EVERY_MS - (wall % EVERY_MS);
    this.#alarm.set(this.#awaited ? Math.min(nextMinute, this.#awaitedUntil) : nextMinute);
  }

  #reason(wall: number): RestReason | null {
    if (this.#awaited) return "hours-awaited";
    return isOpen(this.#opening, wall) ? null : "closed";
  }

  #wall(): number {
    const { service, wall } = this.#parts.serviceClock.moment();
    return service ?? wall;
  }
}
