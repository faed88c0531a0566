import type { Instant } from "../../core/spot.ts";
import type { Moment } from "../service-clock.ts";
import type { OwedProof } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";
import type { Room } from "./sends.ts";

/** So many proofs of each sort are read ahead: many times as many as are on their way, and soon read. */
export const READ_AHEAD = 128;

/** The proofs whose turn it is, read from the store some at a time, sort by sort; of each the soonest deadline is last. */
export class ProofLine {
  /** Never tried. */
  #fresh: OwedProof[] = [];
  #tried: OwedProof[] = [];
  #slow: OwedProof[] = [];
  /** The store had more of a sort than were read. */
  #more = { fresh: false, tried: false };
  #many = false;

  /** Reads anew what is due; `busy` are the ids of those that are not to be handed out. */
  read(store: ProofStore, moment: Moment, busy: readonly number[], isSlow: (proof: OwedProof) => boolean): void {
    const fresh = store.due(moment, "never", READ_AHEAD, busy);
    const tried = store.due(moment, "before", READ_AHEAD, busy);
    this.#more = { fresh: fresh.length === READ_AHEAD, tried: tried.length === READ_AHEAD };
    this.#fresh = [...fresh].reverse();
    this.#tried = tried.filter((proof) => !isSlow(proof)).reverse();
    this.#slow = tried.filter(isSlow).reverse();
    this.#many ||= this.hasMore;
  }

  /** Whether it has run out of a sort of which the store has more. */
  get spent(): boolean {
    return (
      (this.#more.fresh && this.#fresh.length === 0) ||
      (this.#more.tried && this.#tried.length + this.#slow.length === 0)
    );
  }

  /** Whether the store has more that is due than was read. */
  get hasMore(): boolean {
    return this.#more.fresh || this.#more.tried;
  }

  /** Whether somebody waits here for a free place. */
  get waiting(): boolean {
    return this.#fresh.length + this.#tried.length + this.#slow.length > 0;
  }

  /** Whether many wait: from when the store had more than was read until nobody is left. */
  get many(): boolean {
    return this.#many;
  }

  /**
   * Takes out the next to be sent, or null: one that was never tried goes before, of either sort the soonest deadline.
   * Those whose hour has ended meanwhile are dropped; the store ends them.
   */
  next(now: Instant, room: Room): OwedProof | null {
    const steady = room.steady ? (pop(this.#fresh, now) ?? pop(this.#tried, now)) : null;
    const proof = steady ?? (room.slow ? pop(this.#slow, now) : null);
    if (!this.waiting && !this.hasMore) this.#many = false;
    return proof;
  }
}

function pop(proofs: OwedProof[], now: Instant): OwedProof | null {
  for (let proof = proofs.pop(); proof !== undefined; proof = proofs.pop()) {
    if (proof.deadline > now) return proof;
  }
  return null;
}
