import type { Logger } from "pino";
import type { EndedPlayout, RecordNotice } from "../../core/proofs/record.ts";
import type { Clock } from "../clock.ts";
import { codeOf } from "../database.ts";
import type { ServiceClock } from "../service-clock.ts";
import type { RecordStore } from "./record-store.ts";

export interface RecordDeskParts {
  readonly store: Pick<RecordStore, "append" | "note">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
}

/** The wait before rows that the disk would not take are tried again. */
const AGAIN_MS = 5_000;
/** Two hours of spots that all fail; then the oldest go, and the record says how many. */
export const MOST_WAITING = 2_000;
/** How many that waited are written in one commit: the loop is not held up by all of them. */
const WRITTEN_AT_ONCE = 100;

/**
 * Where rows of the record are written that no proof goes along with: of items that failed, of those whose row could
 * not be written with their proof, and of commands from afar. What the disk will not take at the moment waits in memory and is tried again.
 */
export class RecordDesk {
  readonly #parts: RecordDeskParts;
  readonly #waiting: EndedPlayout[] = [];
  /** Rows that were given up, and of which the record does not tell yet. */
  #lost = 0;
  #refusing = false;
  #callOff = () => {};

  constructor(parts: RecordDeskParts) {
    this.#parts = parts;
  }

  /** Commits the row before it returns, where the disk allows. */
  add(ended: EndedPlayout): void {
    this.#waiting.push(ended);
    if (this.#waiting.length > MOST_WAITING) this.#giveUp();
    this.#commit();
  }

  /** Commits a row of what is no playout; says whether the disk took it. Such a row is not tried again. */
  note(notice: RecordNotice): boolean {
    const { store, serviceClock } = this.#parts;
    const refusal = this.#try(() => store.note(notice, serviceClock.read()));
    this.#note(refusal?.message ?? null);
    return refusal === null;
  }

  /** Rows that are not in the record: in memory only, or given up and not told of yet. */
  get unwritten(): number {
    return this.#waiting.length + this.#lost;
  }

  /** Tries a last time what still waits. */
  close(): void {
    this.#commit();
    this.#callOff();
  }

  #commit(): void {
    this.#callOff();
    if (this.unwritten === 0) return;
    const { store, serviceClock, clock } = this.#parts;
    const next = this.#waiting.slice(0, WRITTEN_AT_ONCE);
    const refusal = this.#try(() => {
      if (this.#lost > 0) store.note({ type: "lost", rows: this.#lost }, serviceClock.read());
      this.#lost = 0;
      store.append(next, serviceClock.read());
    });
    this.#note(refusal?.message ?? null);
    if (refusal === null) this.#waiting.splice(0, next.length);
    // What fails without a code is no matter of the disk, and would fail again.
    else if (refusal.code === null) this.#giveUp();
    if (this.unwritten === 0) return;
    const waitMs = refusal === null ? 0 : AGAIN_MS;
    this.#callOff = clock.alarm(clock.now() + waitMs, () => this.#commit());
  }

  #giveUp(): void {
    if (this.#waiting.shift() !== undefined) this.#lost++;
  }

  #try(act: () => void): { readonly code: string | null; readonly message: string } | null {
    try {
      act();
      return null;
    } catch (error) {
      const code = codeOf(error);
      return { code, message: code ?? String(error) };
    }
  }

  /** Only when it begins and when it ends: a disk can be full for days. */
  #note(reason: string | null): void {
    const { log } = this.#parts;
    const waiting = this.unwritten;
    if (reason !== null && !this.#refusing) {
      log.error({ reason, waiting }, "the playout record cannot be written: its rows wait in memory, proofs go on");
    }
    if (reason === null && this.#refusing) log.info("the playout record can be written again");
    this.#refusing = reason !== null;
  }
}
