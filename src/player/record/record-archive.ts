import type { Instant } from "../../core/spot.ts";
import { openForReading } from "../proofs/proof-records.ts";
import type { Database } from "../stores/database.ts";
import type { StoredRow } from "./record-row.ts";
import { prepareReading, type RecordReading, ROW_COLUMNS, type StoredCheckpoint } from "./record-sql.ts";
import { keyIn, originIn, removedIn } from "./seal.ts";

/** Which rows are meant; null is any. Instants are the service's. */
export interface RecordFilter {
  readonly from: Instant | null;
  readonly until: Instant | null;
  readonly screenId: string | null;
}

/** Rows by their sequence, the last one included. */
export interface RowSpan {
  readonly first: number;
  readonly last: number;
}

/** How many are read at a time: one long read would keep the player's write-ahead log from being cut back. */
const PAGE_ROWS = 1_000;

/** The playout record of a data folder, read while a player may be writing there. Nothing in it is ever changed. */
export class RecordArchive {
  readonly #db: Database;
  readonly #reading: RecordReading;

  constructor(path: string) {
    this.#db = openForReading(path, "there is no record");
    this.#reading = prepareReading(this.#db);
  }

  /** The record's name; null where it has no row yet. */
  origin(): string | null {
    return originIn(this.#reading);
  }

  /** The key that signs what comes after row `before`, or the one that signs now. */
  key(before?: number): string | null {
    return keyIn(this.#reading, before);
  }

  /** The rows that are there; the first of them may be on their way out, and `removed` says how many of all were. */
  extent(): { readonly span: RowSpan; readonly removed: number } | null {
    const last = this.#reading.tip.get();
    if (last === undefined) return null;
    const first = this.#reading.first.get()?.sequence ?? 0;
    return { span: { first, last: last.sequence }, removed: removedIn(this.#reading) };
  }

  /** From the first to the last row that a filter lets through, screens aside; null where there is none. */
  spanOf({ from, until }: RecordFilter): RowSpan | null {
    const found = this.#db.prepare<[object], Partial<RowSpan>>(SPAN).get({ from, until });
    const { first, last } = found ?? {};
    return first == null || last == null ? null : { first, last };
  }

  *rows({ first, last }: RowSpan): Generator<StoredRow> {
    const select = this.#db.prepare<[object], StoredRow>(ROWS);
    for (let next = first; next <= last; ) {
      const rows = select.all({ next, last, limit: PAGE_ROWS });
      yield* rows;
      const end = rows.at(-1);
      if (end === undefined) return;
      next = end.sequence + 1;
    }
  }

  /** The checkpoint over exactly `size` rows, or null. */
  checkpointAt(size: number): StoredCheckpoint | null {
    return this.#db.prepare<[number], StoredCheckpoint>(`${CHECKPOINTS} where size = ?`).get(size) ?? null;
  }

  /** The sizes of the checkpoints next to a row: the largest that does not cover it, the smallest that does. */
  checkpointsAround(sequence: number): { readonly before: number | null; readonly after: number | null } {
    const select = "select max(iif(size <= @sequence, size, null)) as before,";
    const sql = `${select} min(iif(size > @sequence, size, null)) as after from checkpoint`;
    type Sizes = { before: number | null; after: number | null };
    return this.#db.prepare<[object], Sizes>(sql).get({ sequence }) ?? { before: null, after: null };
  }

  /** Those over more than `size` rows, smallest first. */
  *checkpointsAfter(size: number): Generator<StoredCheckpoint> {
    const select = this.#db.prepare<[object], StoredCheckpoint>(
      `${CHECKPOINTS} where size > @after order by size limit @limit`,
    );
    for (let after = size; ; ) {
      const page = select.all({ after, limit: PAGE_ROWS });
      yield* page;
      const end = page.at(-1);
      if (end === undefined) return;
      after = end.size;
    }
  }

  close(): void {
    this.#db.close();
  }
}

const CHECKPOINTS = "select size, made, note, frontier from checkpoint";

const ROWS = `
  select ${ROW_COLUMNS} from record where sequence >= @next and sequence <= @last order by sequence limit @limit`;

// A bound that is not there is one that every time keeps to: so the index is used whichever are.
const SPAN = `
  select min(sequence) as first, max(sequence) as last from record
  where ended >= coalesce(@from, -1e300) and ended < coalesce(@until, 1e300)`;
