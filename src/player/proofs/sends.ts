import type { Instant } from "../../core/spot.ts";
import type { OwedProof } from "./proof-records.ts";

/** While many wait, so many are on their way at once: enough to work off an outage of an hour in seconds. */
export const SENDS_AT_ONCE = 8;

/** A try that has gone on for so long steps aside: no other waits for it, nor for a later try of that proof. */
export const ASIDE_AFTER_MS = 1_000;

/** With those that stepped aside, so many are on their way at most: each keeps a socket. */
export const MOST_SENDS = 64;

/** So many of them may be later tries of proofs that stepped aside: what hangs leaves room for the others. */
export const MOST_SLOW_SENDS = 48;

/** For which sorts of proofs there is room. */
export interface Room {
  readonly steady: boolean;
  /** Those that stepped aside when they were tried last. */
  readonly slow: boolean;
}

interface Send {
  readonly proof: OwedProof;
  readonly control: AbortController;
  readonly begunAt: Instant;
  readonly slow: boolean;
}

/** The tries that are under way. */
export class Sends {
  readonly #sends = new Map<number, Send>();
  /** The ids of proofs whose last try stepped aside. */
  readonly #slow = new Set<number>();

  get size(): number {
    return this.#sends.size;
  }

  ids(): readonly number[] {
    return [...this.#sends.keys()];
  }

  isSlow({ id }: OwedProof): boolean {
    return this.#slow.has(id);
  }

  begin(proof: OwedProof, now: Instant): AbortController {
    const control = new AbortController();
    this.#sends.set(proof.id, { proof, control, begunAt: now, slow: this.isSlow(proof) });
    return control;
  }

  end({ id }: OwedProof, now: Instant): void {
    const send = this.#sends.get(id);
    this.#sends.delete(id);
    if (send !== undefined && isAside(send, now)) this.#slow.add(id);
    else this.#slow.delete(id);
  }

  /** Tells that a proof will not be tried again. */
  forget({ id }: OwedProof): void {
    this.#slow.delete(id);
  }

  room(now: Instant, atOnce: number): Room {
    const sends = [...this.#sends.values()];
    const some = this.size < MOST_SENDS;
    return {
      steady: some && sends.filter((send) => !send.slow && !isAside(send, now)).length < atOnce,
      slow: some && sends.filter(({ slow }) => slow).length < MOST_SLOW_SENDS,
    };
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
}

function isAside({ begunAt }: Send, now: Instant): boolean {
  return now - begunAt >= ASIDE_AFTER_MS;
}
