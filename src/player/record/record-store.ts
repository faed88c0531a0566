import type { EndedPlayout, RecordNotice } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { ProofFile } from "../proofs/proof-file.ts";
import type { ClockReading } from "../service-clock.ts";
import type { RecordKey } from "./record-key.ts";
import { appendNotice, appendPlayout, type RecordStatements } from "./record-sql.ts";
import { type Fold, foldMore, foldOfLast, keyIn, originIn, removedIn, seal } from "./seal.ts";

/** How far the record has come. */
export interface RecordExtent {
  /** Rows that are kept. */
  readonly rows: number;
  /** Rows of all time that a checkpoint covers. */
  readonly signed: number;
  /** When the last checkpoint was made, by the service's clock, or null. */
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
  seal(fold: Fold, key: RecordKey, at: Instant, next?: RecordKey): boolean {
    return this.#file.use(({ record }) => record.inOneWrite(() => seal(record, fold, key, at, next)));
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

  extent(): RecordExtent {
    return this.#file.use(({ record }) => {
      const tip = record.tip.get();
      const last = record.lastCheckpoint.get();
      const rows = tip === undefined ? 0 : tip.sequence + 1 - (record.first.get()?.sequence ?? 0);
      return { rows, signed: last?.size ?? 0, signedAt: last?.made ?? null };
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
export const REMOVED_AT_ONCE = 2_000;

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
