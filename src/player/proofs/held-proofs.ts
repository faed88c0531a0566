import { randomInt } from "node:crypto";
import { deadlineOf } from "../../core/proofs/proof.ts";
import type { Instant } from "../../core/spot.ts";
import { NEVER } from "../clock.ts";
import type { ClockReading } from "../service-clock.ts";
import type { NewProof, OwedProof, ProofState, Settlement } from "./proof-records.ts";
import { byState } from "./proof-sql.ts";

/** A proof that the disk refused, and what has become of it since. */
export interface HeldProof {
  /** As it is sent, under the id with which it will be written. */
  readonly proof: OwedProof;
  /** When the spot was asked for, by the service's clock, epoch milliseconds. */
  readonly requested: Instant;
  /** What all its tries came to, and when that was noted; null while there was none. */
  readonly last: { readonly settlement: Settlement; readonly reading: ClockReading } | null;
}

/** Ids begin this far, at most, beyond those in the store: another process may add to it meanwhile. */
const ID_GAP = 2 ** 30;

/**
 * Proofs that the disk refused, which are sent all the same: their hour does not wait for the disk. They are in memory only,
 * so that a crash takes what was not sent yet, and repeats nothing.
 */
export class HeldProofs {
  readonly #held = new Map<string, HeldProof>();
  #lastId = 0;

  /** Holds a proof that is not held yet. `lastId`: the largest id in the store. */
  add(proof: NewProof, runId: string, lastId: number, reading: ClockReading): void {
    this.#lastId = this.#held.size > 0 ? this.#lastId + 1 : Math.max(lastId, this.#lastId) + randomInt(1, ID_GAP);
    const owed = { ...proof, id: this.#lastId, runId, attempts: 0, deadline: deadlineOf(proof.requestedAt) };
    const requested = proof.requestedAt + (reading.service ?? reading.wall) - reading.now;
    this.#held.set(proof.playoutId, { proof: owed, requested, last: null });
  }

  get size(): number {
    return this.#held.size;
  }

  get(playoutId: string): HeldProof | null {
    return this.#held.get(playoutId) ?? null;
  }

  /** Holds it no more: it is written, or given up. */
  remove(playoutId: string): void {
    this.#held.delete(playoutId);
  }

  /** Those that may be sent now: never tried, or tried before. */
  due(now: Instant, tried: "never" | "before", except: readonly number[]): readonly OwedProof[] {
    return this.#owed()
      .filter((held) => dueAt(held) <= now && held.proof.deadline > now && !except.includes(held.proof.id))
      .filter(({ proof }) => proof.attempts > 0 === (tried === "before"))
      .map(({ proof }) => proof);
  }

  /** The next instant at which one falls due or runs out, or `NEVER`. */
  nextAt(now: Instant): Instant {
    const instants = this.#owed().flatMap((held) => [held.proof.deadline, ...(dueAt(held) > now ? [dueAt(held)] : [])]);
    return Math.min(NEVER, ...instants);
  }

  /** Notes what became of a try; false where the proof is not held. */
  settle({ proof: { id, runId, playoutId }, verdict, answer, tries = 1 }: Settlement, reading: ClockReading): boolean {
    const held = this.#held.get(playoutId);
    if (held === undefined || held.proof.id !== id || held.proof.runId !== runId) return false;
    const proof = { ...held.proof, attempts: held.proof.attempts + tries };
    const settlement = { proof, verdict, answer, tries: proof.attempts };
    this.#held.set(playoutId, { ...held, proof, last: { settlement, reading } });
    return true;
  }

  /** Ends the hour for those that are too late, and returns them (G9). */
  expire(reading: ClockReading, except: readonly number[]): readonly OwedProof[] {
    const over = this.#owed().filter(({ proof }) => proof.deadline <= reading.now && !except.includes(proof.id));
    for (const { proof, last } of over) {
      const answer = last?.settlement.answer ?? null;
      this.settle({ proof, verdict: { kind: "expired" }, answer, tries: 0 }, reading);
    }
    return over.map(({ proof }) => proof);
  }

  /** How many there are of each state, and when the oldest of those owed was asked for, by the service's clock. */
  counts(): { readonly states: Readonly<Record<ProofState, number>>; readonly oldest: Instant } {
    const states = byState([]);
    for (const held of this.#held.values()) states[stateOf(held)] += 1;
    return { states, oldest: Math.min(NEVER, ...this.#owed().map(({ requested }) => requested)) };
  }

  #owed(): readonly HeldProof[] {
    return [...this.#held.values()].filter((held) => stateOf(held) === "owed");
  }
}

export function stateOf({ last }: Pick<HeldProof, "last">): ProofState {
  return last === null || last.settlement.verdict.kind === "retry" ? "owed" : last.settlement.verdict.kind;
}

/** When it may be sent: at once, or when its last try said. */
function dueAt({ last }: HeldProof): Instant {
  return last?.settlement.verdict.kind === "retry" ? last.settlement.verdict.at : Number.NEGATIVE_INFINITY;
}
