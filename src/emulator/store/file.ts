import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type BetterSqlite3 from "better-sqlite3";

/** What is in a file, each piece in JSON. */
export interface KeptRows {
  readonly parts: ReadonlyMap<string, string>;
  /** Oldest first. */
  readonly spots: readonly string[];
  /** Oldest first. */
  readonly calls: readonly string[];
}

/** What has changed since it was last written. */
export interface RowChanges {
  /** Whether this is everything, and what the file has is to go. */
  readonly afresh: boolean;
  readonly parts: readonly (readonly [name: string, content: string])[];
  readonly spots: readonly (readonly [requestId: string, content: string])[];
  readonly goneSpots: readonly string[];
  readonly calls: readonly (readonly [id: number, content: string])[];
  /** Calls up to this id are gone; all of them where it is `null`. */
  readonly goneCalls: number | null;
}

/** An open file, which no other emulator can open meanwhile. */
export interface StateFile {
  /** Writes all of it or nothing. Throws when the disk does not take it. */
  write(changes: RowChanges): void;
  close(): void;
}

/** A file that the emulator's state cannot be kept in; it was not changed. */
export class StoreError extends Error {
  override name = "StoreError";
}

/** "SPOT", so that a file of something else is not taken for one of ours. */
const APPLICATION_ID = 0x53504f54;
/** Goes up with every change of the tables or of what the JSON in them means. */
const VERSION = 1;
const TABLES = `
  create table part (name text primary key, content text not null) strict, without rowid;
  create table spot (position integer primary key, request_id text not null unique, content text not null) strict;
  create table call (id integer primary key, content text not null) strict;
  pragma application_id = ${APPLICATION_ID};
  pragma user_version = ${VERSION};
`;
/** How long a file that another emulator is just leaving is waited for. */
const BUSY_MS = 500;
/** The prebuilt binding takes a process with an older Node-API down without a word. */
const LOWEST_NODE_API = 10;

/**
 * Reads what a file has kept; `null` when it is new. Throws a `StoreError` that says why it cannot. This goes through a
 * connection that cannot write, so that a file that is refused stays as it is.
 */
export function readStateFile(path: string): KeptRows | null {
  const Database = sqlite();
  return complaining(() => {
    if (!isThere(path)) return null;
    const database = new Database(path, { readonly: true, timeout: BUSY_MS });
    try {
      inspect(database);
      const rows = rowsIn(database);
      return rows.parts.size === 0 ? null : rows;
    } finally {
      database.close();
    }
  });
}

/** Opens a file that has been read, or makes one, for this emulator alone. Throws a `StoreError` if it cannot. */
export function openStateFile(path: string): StateFile {
  const Database = sqlite();
  return complaining(() => {
    const tables = isThere(path) ? "" : TABLES;
    const database = new Database(path, { timeout: BUSY_MS });
    try {
      database.pragma("locking_mode = exclusive");
      database.pragma("journal_mode = wal");
      database.pragma("synchronous = normal");
      // Takes the lock, too.
      database.transaction(() => database.exec(`${tables} pragma user_version = ${VERSION}`)).immediate();
    } catch (error) {
      database.close();
      throw error;
    }
    return { write: writer(database), close: () => leave(database) };
  });
}

/** In WAL mode even reading makes files beside it. On a full disk the log stays there, with all that was written. */
function leave(database: BetterSqlite3.Database): void {
  try {
    database.pragma("journal_mode = delete");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  } finally {
    database.close();
  }
}

function isThere(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

function complaining<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(reasonOf(error));
  }
}

function inspect(database: BetterSqlite3.Database): void {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  if (number("application_id") !== APPLICATION_ID) throw new StoreError("it is not a data file of the emulator");
  const version = number("user_version");
  if (version > VERSION) throw new StoreError(`it is from a newer version (format ${version}, known up to ${VERSION})`);
  if (database.pragma("quick_check(1)", { simple: true }) !== "ok") throw new StoreError("it is damaged");
}

function rowsIn(database: BetterSqlite3.Database): KeptRows {
  const contents = (sql: string) => database.prepare<[], string>(sql).pluck().all();
  const parts = database.prepare<[], [string, string]>("select name, content from part").raw().all();
  return {
    parts: new Map(parts),
    spots: contents("select content from spot order by position"),
    calls: contents("select content from call order by id"),
  };
}

function writer(database: BetterSqlite3.Database): StateFile["write"] {
  const putPart = database.prepare("insert or replace into part (name, content) values (?, ?)");
  const putSpot = database.prepare(`
    insert into spot (request_id, content) values (?, ?)
    on conflict (request_id) do update set content = excluded.content
  `);
  const dropSpot = database.prepare("delete from spot where request_id = ?");
  const putCall = database.prepare("insert into call (id, content) values (?, ?)");
  const dropCalls = database.prepare("delete from call where id <= coalesce(?, id)");
  return database.transaction(({ afresh, parts, spots, goneSpots, calls, goneCalls }: RowChanges) => {
    if (afresh) database.exec("delete from part; delete from spot; delete from call");
    for (const [name, content] of parts) putPart.run(name, content);
    for (const requestId of goneSpots) dropSpot.run(requestId);
    for (const [requestId, content] of spots) putSpot.run(requestId, content);
    dropCalls.run(goneCalls);
    for (const [id, content] of calls) putCall.run(id, content);
  }).immediate;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_NOTADB")) return "it is not a data file of the emulator";
  if (code.startsWith("SQLITE_CORRUPT")) return "it is damaged";
  if (code.startsWith("SQLITE_BUSY")) return "another emulator is using it";
  if (code.startsWith("SQLITE_CANTOPEN")) return "it cannot be opened or made there";
  return error instanceof Error ? error.message : String(error);
}

const require = createRequire(import.meta.url);

/** Loaded when a file is wanted: in the emulator's own package SQLite is optional, and most tests keep nothing. */
function sqlite(): typeof BetterSqlite3 {
  const folder = folderOfSqlite();
  if (folder === null)
    throw new StoreError("that takes SQLite, which is not installed here: npm install better-sqlite3");
  refuseFatalBinding(folder);
  return require("better-sqlite3");
}

function folderOfSqlite(): string | null {
  try {
    return dirname(require.resolve("better-sqlite3/package.json"));
  } catch {
    return null;
  }
}

function refuseFatalBinding(folder: string): void {
  if (Number(process.versions.napi) >= LOWEST_NODE_API) return;
  if (existsSync(join(folder, "build", "Release", "better_sqlite3.node"))) return;
  throw new StoreError(`SQLite needs Node-API ${LOWEST_NODE_API} (Node 22.14 or newer) here`);
}
