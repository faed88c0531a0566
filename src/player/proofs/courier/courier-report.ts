import type { Logger } from "pino";
import { popLabel } from "../../../client/spot-client.ts";
import type { Delivery, Verdict } from "../../../core/proofs/proof.ts";
import type { OwedProof } from "../proof-records.ts";

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
