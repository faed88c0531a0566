import type { Verdict } from "../../core/proof.ts";
import type { Instant, ItemKind } from "../../core/spot.ts";

/** A playout that was shown in full and is to be proved (G1). Instants are monotonic, of the present boot. */
export interface NewProof {
  /** Unique within the run. */
  readonly playoutId: string;
  readonly screenId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly pop: string;
  /** Just before the spot request was sent (F7). */
  readonly requestedAt: Instant;
  /** When it had been on screen for its whole duration. */
  readonly shownAt: Instant;
}

/** A proof that waits to be delivered. */
export interface OwedProof {
  readonly id: number;
  readonly runId: string;
  readonly playoutId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly pop: string;
  /** Tries that have come to an end. */
  readonly attempts: number;
  /** Monotonic, of the present boot. */
  readonly deadline: Instant;
  /** Monotonic, or null where it was shown before the present boot. */
  readonly shownAt: Instant | null;
}

export type Owing =
  | { readonly kind: "owed" }
  /** This playout is owed, or was, already: nothing was added. */
  | { readonly kind: "known" }
  /** Nothing was kept, by SQLite's code: `SQLITE_FULL`, `SQLITE_IOERR_WRITE`… The proof must be owed again. */
  | { readonly kind: "unwritable"; readonly code: string };

/** What one try, or the end of the hour, made of a proof. */
export interface Settlement {
  readonly proof: Pick<OwedProof, "id" | "runId" | "playoutId">;
  readonly verdict: Verdict;
  /** In words for people: `accepted`, `HTTP 410`, `timeout`. */
  readonly answer: string;
}

export type ProofState = "owed" | "delivered" | "refused" | "expired";

export interface ProofCounts extends Readonly<Record<ProofState, number>> {
  /** The soonest deadline of those owed, epoch milliseconds by the service's clock, or null. */
  readonly oldestDeadline: Instant | null;
}

/** Settled proofs are kept for so long (G9). */
export const KEPT_MS = 30 * 24 * 3_600_000;
