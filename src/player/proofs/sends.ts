import type { Logger } from "pino";
import { popLabel } from "../../client/spot-client.ts";
import { type Delivery, type Doubt, doubtAfter, type Verdict } from "../../core/proofs/proof.ts";
import { isSlow, type Resend, type Send } from "../../core/proofs/proof-dispatch.ts";
import type { Instant } from "../../core/spot.ts";
import { NEVER } from "../clock.ts";
import type { ClockReading } from "../service-clock.ts";
import type { OwedProof, Settlement } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";

interface Try extends Send {
  readonly control: AbortController;
}

/** The tries that are under way, and what those before them have shown of each proof in this run. */
export class InFlight {
  readonly #tries = new Map<number, Try>();
  readonly #slow = new Set<number>();
  /** By run and playout: of a doubtful answer it matters whose it was, and an id can be another's in another file. */
  readonly #doubts = new Map<string, Doubt>();

  get size(): number {
    return this.#tries.size;
  }

  get requests(): readonly Send[] {
    return [...this.#tries.values()];
  }

  /** The ids of proofs whose last try was slow. */
  get slow(): ReadonlySet<number> {
    return this.#slow;
  }

  ids(): readonly number[] {
    return [...this.#tries.keys()];
  }

  begin(proof: OwedProof, now: Instant): AbortController {
    const control = new AbortController();
    this.#tries.set(proof.id, { proof, control, begunAt: now, wasSlow: this.#slow.has(proof.id) });
    return control;
  }

  end({ id }: OwedProof, now: Instant): void {
    const ended = this.#tries.get(id);
    this.#tries.delete(id);
    if (ended !== undefined && isSlow(ended, now)) this.#slow.add(id);
    else this.#slow.delete(id);
  }

  doubtOf(proof: OwedProof): Doubt | null {
    return this.#doubts.get(keyOf(proof)) ?? null;
  }

  noteDoubt(proof: OwedProof, status: number, now: Instant): void {
    this.#doubts.set(keyOf(proof), doubtAfter(this.doubtOf(proof), status, now));
  }

  /** Tells that a proof will not be tried again. */
  forget(proof: OwedProof): void {
    this.#slow.delete(proof.id);
    this.#doubts.delete(keyOf(proof));
  }

  abort(ids: readonly number[], reason: Error): void {
    for (const id of ids) this.#tries.get(id)?.control.abort(reason);
  }
}

function keyOf({ runId, playoutId }: OwedProof): string {
  return `${runId} ${playoutId}`;
}

/**
 * While many wait to be sent, this many answers are recorded in one commit, and each this soon after it came. A crash
 * then repeats at most these and those under way, each once. Otherwise each is recorded as it comes (G10).
 */
export const WRITTEN_AT_ONCE = 64;
export const WRITTEN_WITHIN_MS = 50;

/** The wait after the store could not be written. */
const AGAIN_MS = 5_000;

/** What is to be written about one proof: the last verdict, and how many tries led to it. */
interface Pending extends Settlement {
  readonly proof: OwedProof;
  readonly tries: number;
  /** The try that the verdict asked for is under way. */
  readonly resent: boolean;
}

/**
 * What came of tries and is not in the store yet. The store still has those proofs as they were before: they are sent
 * again by what is known here, and not by the store, so that a disk that takes no writes ends no retries (G8).
 */
export class PendingResults {
  readonly #pending = new Map<number, Pending>();
  /** When they must be written at the latest, or are tried again. */
  #writeAt: Instant = NEVER;
  #postponed = false;

  get writeAt(): Instant {
    return this.#writeAt;
  }

  /** Whether the store took nothing when these were to be written last. */
  get isPostponed(): boolean {
    return this.#postponed;
  }

  ids(): readonly number[] {
    return [...this.#pending.keys()];
  }

  add({ proof, verdict, answer }: Settlement & { readonly proof: OwedProof }, now: Instant): void {
    const tries = (this.#pending.get(proof.id)?.tries ?? 0) + 1;
    this.#pending.set(proof.id, { proof, verdict, answer, tries, resent: false });
    if (this.#writeAt === NEVER) this.#writeAt = now + WRITTEN_WITHIN_MS;
  }

  /** Those that wait to be sent again by what is known here: when, and as they are after the tries so far. */
  resends(): readonly Resend<OwedProof>[] {
    return this.#waiting().map(({ proof, verdict }) => ({
      proof: { ...proof, attempts: proof.attempts + 1 },
      at: Math.min(verdict.at, proof.deadline),
    }));
  }

  /** Tells that a try of a proof has begun; nothing where it does not wait here. */
  noteBegun({ id }: OwedProof): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) this.#pending.set(id, { ...pending, resent: true });
  }

  /** Ends the hour for those that are too late to be sent again, and returns them (G9). */
  expire(now: Instant): readonly OwedProof[] {
    const over = this.#waiting().filter(({ proof }) => proof.deadline <= now);
    for (const pending of over) this.#pending.set(pending.proof.id, { ...pending, verdict: { kind: "expired" } });
    return over.map(({ proof }) => proof);
  }

  /** At once, as a rule; while many wait to be sent, a commit takes as long as many GETs. */
  isTimeToWrite(now: Instant, isBacklogged: boolean): boolean {
    if (this.#pending.size === 0) return false;
    if (now >= this.#writeAt) return true;
    return !this.#postponed && (!isBacklogged || this.#pending.size >= WRITTEN_AT_ONCE);
  }

  /**
   * Writes all in one commit; answers with the soonest instant at which one is to be tried again. Throws as the store, but for
   * those that it holds in memory: what the disk refuses does not pile up here, too.
   */
  write(store: ProofStore, reading: ClockReading): Instant {
    const settlements = [...this.#pending.values()];
    for (const { proof } of store.settleHeld(settlements, reading)) this.#pending.delete(proof.id);
    if (this.#pending.size > 0) store.settle([...this.#pending.values()], reading);
    this.#pending.clear();
    this.#writeAt = NEVER;
    this.#postponed = false;
    const dues = settlements.map(({ verdict }) => (verdict.kind === "retry" ? verdict.at : NEVER));
    return Math.min(NEVER, ...dues);
  }

  /** The store takes nothing: later, then. */
  postpone(now: Instant): void {
    this.#writeAt = now + AGAIN_MS;
    this.#postponed = true;
  }

  #waiting(): readonly WaitingResult[] {
    return [...this.#pending.values()].filter(isWaiting);
  }
}

type WaitingResult = Pending & { readonly verdict: Verdict & { readonly kind: "retry" } };

function isWaiting(pending: Pending): pending is WaitingResult {
  return pending.verdict.kind === "retry" && !pending.resent;
}

/**
 * What the courier writes into the log: each proof that ends badly; but that nobody can be reached, that the store fails
 * or that another sends, only when it begins and when it ends.
 */
export class CourierReport {
  readonly #log: Logger;
  #nobodyThere = false;
  #storeFails = false;
  #standsBy = false;
  #lockFails = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  tried(proof: OwedProof, delivery: Delivery, verdict: Verdict): void {
    // Made only for a line that will be written: thousands may go out in a second.
    const fields = () => ({ playout: proof.playoutId, to: popLabel(proof.pop), answer: inWords(delivery) });
    if (verdict.kind === "delivered" && this.#log.isLevelEnabled("debug")) this.#log.debug(fields(), "proof delivered");
    if (verdict.kind === "refused" || verdict.kind === "expired") this.#log.warn(fields(), `proof ${verdict.kind}`);
    const nobodyThere = delivery.kind === "unreachable";
    if (delivery.kind === "doubtful" && verdict.kind === "retry") {
      this.#log.info(fields(), "proof answered oddly: tried again before that is believed");
    }
    if (nobodyThere && !this.#nobodyThere) this.#log.warn(fields(), "proofs cannot be delivered for now");
    if (!nobodyThere && this.#nobodyThere) this.#log.info("proofs can be delivered again");
    this.#nobodyThere = nobodyThere;
  }

  expired(proof: OwedProof): void {
    this.#log.warn({ playout: proof.playoutId, to: popLabel(proof.pop) }, "proof expired");
  }

  /** Says when another process sends from this folder, and when this one takes over. */
  sender(isSender: boolean): void {
    if (!isSender && !this.#standsBy) this.#log.warn("another process sends the proofs of this data folder");
    if (isSender && this.#standsBy) this.#log.info("this player sends the proofs from here on");
    this.#standsBy = !isSender;
  }

  /** Says when the sender's lock cannot be taken, by the code of what keeps it, and when it can again. */
  lock(code: string | null): void {
    if (code !== null && !this.#lockFails) {
      this.#log.error(
        { code },
        "no proofs are sent: sender.lock in the data folder cannot be locked, check who owns it",
      );
    }
    if (code === null && this.#lockFails) this.#log.info("sender.lock can be locked again");
    this.#lockFails = code !== null;
  }

  store(code: string | null): void {
    if (code !== null && !this.#storeFails) this.#log.error({ code }, "the proof store fails");
    if (code === null && this.#storeFails) this.#log.info("the proof store works again");
    this.#storeFails = code !== null;
  }
}

/** A delivery in words for people: `accepted`, `HTTP 410`, `timeout`. */
export function inWords(delivery: Delivery): string {
  switch (delivery.kind) {
    case "accepted":
      return "accepted";
    case "refused":
    case "doubtful":
      return `HTTP ${delivery.status}`;
    case "unreachable":
      return delivery.reason;
  }
}
