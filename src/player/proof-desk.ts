import type { Logger } from "pino";
import type { Playout } from "../core/playout.ts";
import type { Instant } from "../core/spot.ts";
import type { Clock } from "./clock.ts";
import type { NewProof, ProofStore } from "./proof-store.ts";
import type { ServiceClock } from "./service-clock.ts";

/** What a desk is made of. */
export interface ProofDeskParts {
  readonly store: ProofStore;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
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
  #callOff = () => {};

  constructor(parts: ProofDeskParts) {
    this.#parts = parts;
  }

  /** Commits the proof of a playout that was shown in full until `shownAt`, before it returns where the disk allows. */
  owe(screenId: string, playout: Playout, shownAt: Instant): void {
    const { id, requestId, requestedAt, item } = playout;
    const { kind, pop } = item;
    this.#waiting.push({ playoutId: id, screenId, requestId, itemId: item.id, kind, pop, requestedAt, shownAt });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#commit();
  }

  close(): void {
    this.#callOff();
  }

  #commit(): void {
    this.#callOff();
    const { store, clock, serviceClock, log } = this.#parts;
    for (let proof = this.#waiting[0]; proof !== undefined; proof = this.#waiting[0]) {
      const owing = store.owe(proof, serviceClock.moment());
      if (owing.kind === "unwritable") {
        log.error({ code: owing.code, waiting: this.#waiting.length }, "proofs cannot be written");
        this.#callOff = clock.alarm(clock.now() + AGAIN_MS, () => this.#commit());
        return;
      }
      this.#waiting.shift();
    }
    this.#parts.onOwed();
  }
}
