import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import { codeOf } from "../database.ts";
import type { ServiceClock } from "../service-clock.ts";
import type { ProofStore } from "./proof-store.ts";
import { quarterOf, type Tally } from "./tally.ts";

/** What a tally book is made of. */
export interface TallyBookParts {
  readonly store: Pick<ProofStore, "tally">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
}

/** What was counted is written down with the next proof, or so long after it at most: a crash costs no more of it. */
export const WRITTEN_WITHIN_MS = 60_000;

/** So many lines are kept in memory while the disk takes none, or the service's time is not known; then the oldest go. */
const MOST_LINES = 10_000;

/**
 * Counts what is worth knowing but is not money: slots, fills and failures. What was shown in full is never counted
 * here: that is told by the proofs themselves, each of which was committed by itself.
 */
export class TallyBook {
  readonly #parts: TallyBookParts;
  /** By minute of the monotonic clock: which hour of the service's it was may only be known later. */
  readonly #lines = new Map<string, Omit<Tally, "quarter"> & { readonly at: Instant }>();
  #callOff: (() => void) | null = null;

  constructor(parts: TallyBookParts) {
    this.#parts = parts;
  }

  count(what: Tally["what"], label = ""): void {
    const { clock } = this.#parts;
    const now = clock.now();
    const key = `${Math.floor(now / WRITTEN_WITHIN_MS)} ${what} ${label}`;
    const line = this.#lines.get(key);
    this.#lines.set(key, { at: now, what, label, count: (line?.count ?? 0) + 1 });
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= MOST_LINES) break;
      this.#lines.delete(oldest);
    }
    this.#callOff ??= clock.alarm(now + WRITTEN_WITHIN_MS, () => this.#turn());
  }

  /** Writes down what is left. */
  close(): void {
    this.#callOff?.();
    this.#write();
  }

  #turn(): void {
    this.#callOff = null;
    const { clock, serviceClock } = this.#parts;
    if (serviceClock.moment().service !== null) this.#write();
    if (this.#lines.size > 0) this.#callOff = clock.alarm(clock.now() + WRITTEN_WITHIN_MS, () => this.#turn());
  }

  /** What is not written down yet, by the service's clock as far as it is known. */
  pending(): readonly Tally[] {
    if (this.#lines.size === 0) return [];
    const { now, wall, service } = this.#parts.serviceClock.moment();
    const toService = (service ?? wall) - now;
    return [...this.#lines.values()].map(({ at, what, label, count }) => {
      return { quarter: quarterOf(at + toService), what, label, count };
    });
  }

  /** Tells that what was pending just now is on the disk. */
  written(): void {
    this.#lines.clear();
  }

  #write(): void {
    if (this.#lines.size === 0) return;
    try {
      this.#parts.store.tally(this.pending());
      this.written();
    } catch (error) {
      // A disk that takes nothing now may do so later; the lines are kept.
      if (codeOf(error) === null) throw error;
    }
  }
}
