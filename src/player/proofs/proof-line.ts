import type { Instant } from "../../core/spot.ts";
import type { Moment } from "../service-clock.ts";
import type { OwedProof } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";

/** So many proofs of each sort are read ahead: many times as many as are on their way, and soon read. */
export const READ_AHEAD = 128;

/** The proofs whose turn it is, read from the store some at a time: those never tried apart from those tried before. */
export class ProofLine {
  #fresh: OwedProof[] = [];
  #tried: OwedProof[] = [];
  /** The store had more of a sort than were read. */
  #more = { fresh: false, tried: false };

  /** Reads anew what is due; `busy` are the ids of those that are not to be handed out. */
  read(store: ProofStore, moment: Moment, busy: readonly number[]): void {
    const fresh = store.due(moment, "never", READ_AHEAD, busy);
    const tried = store.due(moment, "before", READ_AHEAD, busy);
    this.#more = { fresh: fresh.length === READ_AHEAD, tried: tried.length === READ_AHEAD };
    // Taken from the end, the soonest deadline is last.
    this.#fresh = [...fresh].reverse();
    this.#tried = [...tried].reverse();
  }

  /** Whether it has run out of a sort of which the store has more. */
  get spent(): boolean {
    return (this.#more.fresh && this.#fresh.length === 0) || (this.#more.tried && this.#tried.length === 0);
  }

  /** Whether the store has more that is due than was read. */
  get hasMore(): boolean {
    return this.#more.fresh || this.#more.tried;
  }

  /** Whether somebody waits here for a free place. */
  get waiting(): boolean {
    return this.#fresh.length > 0 || this.#tried.length > 0;
  }

  /**
   * Takes out the next to be sent, or null: one that was never tried goes before, of either sort the soonest deadline.
   * Those whose hour has ended meanwhile are dropped; the store ends them.
   */
  next(now: Instant, retriesToo: boolean): OwedProof | null {
    return pop(this.#fresh, now) ?? (retriesToo ? pop(this.#tried, now) : null);
  }
}

function pop(proofs: OwedProof[], now: Instant): OwedProof | null {
  for (let proof = proofs.pop(); proof !== undefined; proof = proofs.pop()) {
    if (proof.deadline > now) return proof;
  }
  return null;
}
