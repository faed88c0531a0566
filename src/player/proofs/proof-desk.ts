import type { Logger } from "pino";
import type { Playout } from "../../core/playout.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { ServiceClock } from "../service-clock.ts";
import type { NewProof } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";
import type { TallyBook } from "./tally-book.ts";

/** What a desk is made of. */
export interface ProofDeskParts {
  readonly store: ProofStore;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
  /** What else was counted goes into the same commit. */
  readonly tallies?: Pick<TallyBook, "pending" | "written">;
  readonly onOwed: () => void;
}

/** The wait before proofs that the disk would not take are tried again. */
const AGAIN_MS = 5_000;
/** More than an hour's worth of the shortest items: older ones are past their deadline anyway. */
const MOST_WAITING = 10_000;

/** Where proofs are owed. What the disk will not take at the moment waits in memory and is tried again. */
export class ProofDesk {
  readonly #parts: ProofDeskParts;
  readonly #waiting: NewProof[] = [];
  #refusing = false;
  #callOff = () => {};

  constructor(parts: ProofDeskParts) {
    this.#parts = parts;
  }

  /** Commits the proof of a playout that was shown in full until `shownAt`, before it returns where the disk allows. */
  owe(screenId: string, playout: Playout, shownAt: Instant): void {
    const { requestId, requestedAt, item } = playout;
    const { kind, pop } = item;
    // Each screen counts its own playouts.
    const playoutId = `${screenId}/${playout.id}`;
    this.#waiting.push({ playoutId, screenId, requestId, itemId: item.id, kind, pop, requestedAt, shownAt });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#commit();
  }

  /** Proofs that are owed and in memory only. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Tries a last time what still waits. */
  close(): void {
    this.#commit();
    this.#callOff();
  }

  #commit(): void {
    this.#callOff();
    const { store, clock, serviceClock, tallies, onOwed } = this.#parts;
    for (let proof = this.#waiting[0]; proof !== undefined; proof = this.#waiting[0]) {
      const owing = store.owe(proof, serviceClock.moment(), tallies?.pending());
      this.#note(owing.kind === "unwritable" ? owing.code : null);
      if (owing.kind === "unwritable") {
        this.#callOff = clock.alarm(clock.now() + AGAIN_MS, () => this.#commit());
        return;
      }
      tallies?.written();
      this.#waiting.shift();
      if (this.#waiting.length === 0) onOwed();
    }
  }

  /** Only when it begins and when it ends: a disk can be full for days. */
  #note(code: string | null): void {
    const { log } = this.#parts;
    const waiting = this.#waiting.length;
    if (code !== null && !this.#refusing) log.error({ code, waiting }, "proofs cannot be written: they wait in memory");
    if (code === null && this.#refusing) log.info({ waiting }, "proofs can be written again");
    this.#refusing = code !== null;
  }
}
