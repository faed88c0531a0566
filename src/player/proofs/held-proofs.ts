import { randomInt } from "node:crypto";
import { deadlineOf } from "../../core/proofs/proof.ts";
import type { Instant } from "../../core/spot.ts";
import type { ClockReading } from "../service-clock.ts";
import type { NewProof, OwedProof, ProofState, Settlement } from "./proof-records.ts";
import { byState } from "./proof-sql.ts";

/** A proof that the disk refused, and what has become of it since. */
export interface HeldProof {
  /** As it is sent, under the id with which it will be written. */
  readonly proof: OwedProof;
  /** When the spot was asked for, by the service's clock, epoch milliseconds. */
  readonly requested: Instant;
  readonly due: Instant;
  readonly state: ProofState;
  /** The last answer in words, and when it was noted; null while there was none. */
  readonly last: { readonly answer: string | null; readonly reading: ClockReading } | null;
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
    this.#held.set(proof.playoutId, { proof: owed, requested, due: proof.shownAt, state: "owed", last: null });
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
      .filter(({ proof, due }) => due <= now && proof.deadline > now && !except.includes(proof.id))
      .filter(({ proof }) => proof.attempts > 0 === (tried === "before"))
      .map(({ proof }) => proof);
  }

  /** The next instant at which one falls due or runs out; infinite for none. */
  nextAt(now: Instant): Instant {
    return Math.min(
      ...this.#owed().map(({ proof, due }) => (due > now ? Math.min(due, proof.deadline) : proof.deadline)),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Notes what became of a try; false where the proof is not held. */
  settle({ proof: { id, runId, playoutId }, verdict, answer, tries = 1 }: Settlement, reading: ClockReading): boolean {
    const held = this.#held.get(playoutId);
    if (held === undefined || held.proof.id !== id || held.proof.runId !== runId) return false;
    const proof = { ...held.proof, attempts: held.proof.attempts + tries };
    const isOver = verdict.kind !== "retry";
    const [state, due] = isOver ? [verdict.kind, held.due] : (["owed", verdict.at] as const);
    this.#held.set(playoutId, { ...held, proof, state, due, last: { answer, reading } });
    return true;
  }

  /** Ends the hour for those that are too late, and returns them (G9). */
  expire(reading: ClockReading, except: readonly number[]): readonly OwedProof[] {
    const over = this.#owed().filter(({ proof }) => proof.deadline <= reading.now && !except.includes(proof.id));
    for (const held of over) {
      const last = { answer: held.last?.answer ?? null, reading };
      this.#held.set(held.proof.playoutId, { ...held, state: "expired", last });
    }
    return over.map(({ proof }) => proof);
  }

  /** How many there are of each state, and when the oldest of those owed was asked for, by the service's clock. */
  counts(): { readonly states: Readonly<Record<ProofState, number>>; readonly oldest: Instant } {
    const states = byState([]);
    for (const { state } of this.#held.values()) states[state] += 1;
    return { states, oldest: Math.min(...this.#owed().map(({ requested }) => requested), Number.POSITIVE_INFINITY) };
  }

  #owed(): readonly HeldProof[] {
    return [...this.#held.values()].filter(({ state }) => state === "owed");
  }
}
