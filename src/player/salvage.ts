import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { type Database, firstPageOf, openReadOnly } from "./database.ts";
import { proofMigrations } from "./proof-schema.ts";

/** A proof as a broken file has it, by its columns. */
export type SalvagedRow = Readonly<Record<string, string | number | null>>;

/** The columns of the first schema: a file broken before it could be migrated has no others. */
const COLUMNS = `id, run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, requested_wall,
  requested_monotonic, requested_boot, service_offset, timeline, due, deadline, attempts, state, last_answer`;

// By the table alone, in the order of its keys: an index may be broken where the rows are whole.
const UPWARD = `select ${COLUMNS} from proof not indexed where id > ? order by id`;
const DOWNWARD = `select ${COLUMNS} from proof not indexed where id > ? and id < ? order by id desc`;
const ONE = `select ${COLUMNS} from proof not indexed where id = ?`;

/** Rows looked for one by one between the last that can be read from either end; so many take a second at most. */
const MOST_LOOKUPS = 100_000;

/**
 * The proofs that a broken database still shows as owed, as far as its bytes allow: what is unreadable is read around.
 * Never throws. The file and its -wal are left as they are where they can be opened; a missing beginning is stood in for
 * on a copy.
 */
export function salvageOwed(path: string): readonly SalvagedRow[] {
  return readAround(path) ?? withFirstPage(path, readAround) ?? [];
}

/** Puts salvaged proofs into a new file, under the ids they had, in one commit. */
export function restoreOwed(rows: readonly SalvagedRow[], database: Database): void {
  const names = COLUMNS.split(",").map((name) => name.trim());
  const insert = database.prepare(
    `insert or ignore into proof (${names.join()}) values (${names.map((name) => `@${name}`).join()})`,
  );
  database.transaction(() => {
    for (const row of rows) insert.run(row);
  })();
}

/** All owed rows that can be read, or null where not even the table can be found. */
function readAround(path: string): readonly SalvagedRow[] | null {
  const database = quietly(() => openReadOnly(path));
  if (database === null) return null;
  try {
    if (quietly(() => database.prepare(ONE).get(0) === undefined) === null) return null;
    return owedIn(database);
  } finally {
    database.close();
  }
}

function owedIn(database: Database): readonly SalvagedRow[] {
  const owed = new Map<number, SalvagedRow>();
  let last = 0;
  const read = (sql: string, ...bounds: readonly number[]): boolean => {
    try {
      for (const row of database.prepare<unknown[], SalvagedRow>(sql).iterate(...bounds)) {
        last = Number(row.id);
        if (row.state === "owed") owed.set(last, row);
      }
      return true;
    } catch {
      return false;
    }
  };
  if (read(UPWARD, 0)) return [...owed.values()];
  const low = last;
  last = Number.MAX_SAFE_INTEGER;
  if (read(DOWNWARD, low, last)) return [...owed.values()];
  const high = Math.min(last, low + MOST_LOOKUPS);
  for (let id = low + 1; id < high; id++) read(ONE, id);
  return [...owed.values()];
}

/** Reads a copy that begins with a first page as a new database has it, and takes the rest from the broken one. */
function withFirstPage<T>(path: string, read: (path: string) => T | null): T | null {
  const copy = `${path}.reading`;
  try {
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const file = openSync(copy, "r+");
    writeSync(file, firstPageOf(proofMigrations), 0, undefined, 0);
    closeSync(file);
    return read(copy);
  } catch {
    return null;
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(copy + suffix, { force: true });
  }
}

function quietly<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
