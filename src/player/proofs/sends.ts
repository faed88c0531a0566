import type { Instant } from "../../core/spot.ts";
import type { OwedProof } from "./proof-records.ts";

/** So many proofs are on their way at once: enough to work off an outage of an hour in seconds. */
export const SENDS_AT_ONCE = 8;

/** So many of them may be second or later tries: URLs that hang must not delay a proof that was never tried. */
export const RETRIES_AT_ONCE = 6;

/** A try that has gone on for so long steps aside and holds nobody up any more. */
export const ASIDE_AFTER_MS = 1_000;

/** With those that stepped aside, so many are on their way at most: each keeps a socket. */
export const MOST_SENDS = 64;

interface Send {
  readonly proof: OwedProof;
  readonly control: AbortController;
  readonly begunAt: Instant;
}

/** The tries that are under way. */
export class Sends {
  readonly #sends = new Map<number, Send>();

  get size(): number {
    return this.#sends.size;
  }

  ids(): readonly number[] {
    return [...this.#sends.keys()];
  }

  begin(proof: OwedProof, now: Instant): AbortController {
    const control = new AbortController();
    this.#sends.set(proof.id, { proof, control, begunAt: now });
    return control;
  }

  end({ id }: OwedProof): void {
    this.#sends.delete(id);
  }

  hasRoom(now: Instant): boolean {
    return this.size < MOST_SENDS && this.#young(now).length < SENDS_AT_ONCE;
  }

  hasRoomForRetry(now: Instant): boolean {
    return this.#young(now).filter(({ proof }) => proof.attempts > 0).length < RETRIES_AT_ONCE;
  }

  /** When something is to be done about them: one runs out of its hour or, where others wait, steps aside. */
  nextAt(now: Instant, othersWait: boolean): Instant {
    let at = Number.POSITIVE_INFINITY;
    for (const { proof, begunAt } of this.#sends.values()) {
      at = Math.min(at, proof.deadline > now ? proof.deadline : at);
      if (othersWait && begunAt + ASIDE_AFTER_MS > now) at = Math.min(at, begunAt + ASIDE_AFTER_MS);
    }
    return at;
  }

  breakOff(reason: Error): void {
    for (const { control } of this.#sends.values()) control.abort(reason);
  }

  breakOffOverdue(now: Instant, reason: Error): void {
    for (const { proof, control } of this.#sends.values()) if (proof.deadline <= now) control.abort(reason);
  }

  #young(now: Instant): readonly Send[] {
    return [...this.#sends.values()].filter(({ begunAt }) => now - begunAt < ASIDE_AFTER_MS);
  }
}
