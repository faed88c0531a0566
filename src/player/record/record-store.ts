import type { Logger } from "pino";
import type { EndedPlayout, RecordNotice } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { ProofFile } from "../proofs/proof-file.ts";
import type { ClockReading, ServiceClock } from "../service-clock.ts";
import { codeOf } from "../stores/database.ts";
import type { RecordKey } from "./record-key.ts";
import { appendNotice, appendPlayout, type RecordStatements } from "./record-sql.ts";
import { type Fold, foldMore, foldOfLast, keyIn, originIn, removedIn, type SealingTime, seal } from "./seal.ts";

/** How far the record has come. */
export interface RecordExtent {
  /** Rows that are kept. */
  readonly rows: number;
  /** Rows of all time that a checkpoint covers. */
  readonly signed: number;
  /** When the last checkpoint was made, by the service's clock; null where that is known of none. */
  readonly signedAt: Instant | null;
}

/** The playout record: rows that are only ever added, in the file of the proofs. Throws SQLite's errors. */
export class RecordStore {
  readonly #file: ProofFile;

  constructor(file: ProofFile) {
    this.#file = file;
  }

  /** Commits the rows of playouts that no proofs go along with. */
  append(ended: readonly EndedPlayout[], reading: ClockReading): void {
    this.#file.use(({ record }) =>
      record.inOneWrite(() => {
        for (const one of ended) appendPlayout(record, one, reading);
      }),
    );
  }

  /** Commits a row about the record itself. */
  note(notice: RecordNotice, { service, wall }: ClockReading): void {
    this.#file.use(({ record }) => record.inOneWrite(() => appendNotice(record, notice, service ?? wall)));
  }

  /** The record's name and the key that it announced last; null where it has none. */
  identity(): { readonly origin: string | null; readonly key: string | null } {
    return this.#file.use(({ record }) => ({ origin: originIn(record), key: keyIn(record) }));
  }

  fold(): Fold {
    return this.#file.use(({ record }) => foldOfLast(record));
  }

  /** Takes some more rows into the tree; the same where there are none. */
  foldMore(fold: Fold): Fold {
    return this.#file.use(({ record }) => foldMore(record, fold));
  }

  /** Commits a checkpoint over all rows; says whether there was anything to sign. `next` takes over from `key` with it. */
  seal(fold: Fold, key: RecordKey, time: SealingTime, next?: RecordKey): boolean {
    return this.#file.use(({ record }) => record.inOneWrite(() => seal(record, fold, key, time, next)));
  }

  /** Removes some of what need not be kept; says whether there may be more. */
  removeOld(limits: RecordLimits, service: Instant): boolean {
    return this.#file.use(({ record }) => removeOld(record, limits, service));
  }

  /** The oldest checkpoint that the witness has not seen, or null. */
  unwitnessed(): { readonly size: number; readonly note: string } | null {
    return this.#file.use(({ record }) => record.unwitnessed.get()) ?? null;
  }

  noteWitness(size: number, witness: "taken" | "refused"): void {
    this.#file.use(({ record }) => record.setWitness.run({ size, witness }));
  }

  /** Acts once what was committed until now survives a power cut, or the disk has failed, or takes too long. */
  whenFlushed(act: () => void): void {
    this.#file.whenFlushed(act);
  }

  extent(): RecordExtent {
    return this.#file.use(({ record }) => {
      const tip = record.tip.get();
      const last = record.lastCheckpoint.get();
      const rows = tip === undefined ? 0 : tip.sequence + 1 - (record.first.get()?.sequence ?? 0);
      return { rows, signed: last?.size ?? 0, signedAt: record.lastDated.get()?.made ?? null };
    });
  }
}

/** How much of the record is kept. */
export interface RecordLimits {
  readonly days: number;
  readonly maxBytes: number;
}

/** A row of usual texts takes 365 bytes, its share of the indexes included; one with long texts more. */
export const ROW_BYTES = 512;

/** How many rows are removed in one commit, so that no commit holds up the loop. */
const REMOVED_AT_ONCE = 2_000;

const DAY_MS = 24 * 3_600_000;

/**
 * Removes one step of what need not be kept any more, and says whether there may be more. Only whole stretches go that a
 * checkpoint covers, and the record says so before any row does: what is left can still be verified, wherever it is cut off.
 */
function removeOld(record: RecordStatements, limits: RecordLimits, service: Instant): boolean {
  return record.inOneWrite(() => {
    const size = prunable(record, limits, service);
    const announced = removedIn(record);
    if (size > announced) appendNotice(record, noticeOf(record, size), service);
    const through = Math.max(size, announced);
    record.removeCheckpoints.run(through);
    return record.remove.run({ size: through, limit: REMOVED_AT_ONCE }).changes === REMOVED_AT_ONCE;
  });
}

function prunable(record: RecordStatements, { days, maxBytes }: RecordLimits, service: Instant): number {
  const first = record.first.get()?.sequence ?? 0;
  const rows = (record.tip.get()?.sequence ?? 0) + 1 - first;
  const byAge = record.sizeBefore.get(service - days * DAY_MS)?.size ?? 0;
  const over = rows - Math.floor(maxBytes / ROW_BYTES);
  const bySize = over <= 0 ? 0 : (record.sizeFrom.get(first + over)?.size ?? record.lastCheckpoint.get()?.size ?? 0);
  return Math.max(byAge, bySize);
}

function noticeOf(record: RecordStatements, size: number): RecordNotice {
  return { type: "pruned", size, key: keyIn(record, size) ?? "" };
}

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
