import type { Instant } from "../../core/spot.ts";
import { NEVER } from "../one-alarm.ts";
import type { Moment } from "../service-clock.ts";
import type { Settlement } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";

/**
 * While many wait to be sent, so many answers are recorded in one commit, and none later than so long after it came. A
 * crash then repeats at most these and those under way, each once. Otherwise each is recorded as it comes (G10).
 */
export const WRITTEN_AT_ONCE = 64;
export const WRITTEN_WITHIN_MS = 50;

/** The wait after the store could not be written. */
const AGAIN_MS = 5_000;

/** What came of tries and is not in the store yet: not sent again, whatever the store says. */
export class Unwritten {
  readonly #settlements: Settlement[] = [];
  /** When they must be written at the latest, or are tried again. */
  #writeAt: Instant = NEVER;
  #postponed = false;

  get writeAt(): Instant {
    return this.#writeAt;
  }

  ids(): readonly number[] {
    return this.#settlements.map(({ proof }) => proof.id);
  }

  add(settlement: Settlement, now: Instant): void {
    this.#settlements.push(settlement);
    if (this.#writeAt === NEVER) this.#writeAt = now + WRITTEN_WITHIN_MS;
  }

  /** At once, as a rule; while many wait to be sent, a commit takes as long as many GETs. */
  isTimeToWrite(now: Instant, manyWait: boolean): boolean {
    if (this.#settlements.length === 0) return false;
    if (now >= this.#writeAt) return true;
    return !this.#postponed && (!manyWait || this.#settlements.length >= WRITTEN_AT_ONCE);
  }

  /** Writes all in one commit; answers with the soonest instant at which one is to be tried again. Throws as the store. */
  write(store: ProofStore, moment: Moment): Instant {
    if (this.#settlements.length > 0) store.settle(this.#settlements, moment);
    this.#writeAt = NEVER;
    this.#postponed = false;
    const dues = this.#settlements.splice(0).map(({ verdict }) => (verdict.kind === "retry" ? verdict.at : NEVER));
    return Math.min(NEVER, ...dues);
  }

  /** The store takes nothing: later, then. */
  postpone(now: Instant): void {
    this.#writeAt = now + AGAIN_MS;
    this.#postponed = true;
  }
}
