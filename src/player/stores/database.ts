import { existsSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Logger } from "pino";
import { moveAside } from "./set-aside.ts";

export type Database = BetterSqlite3.Database;
/** A prepared statement, by what it is given and the rows it gives. */
export type Statement<Given extends unknown[] | object = unknown[], Row = unknown> = Given extends unknown[]
  ? BetterSqlite3.Statement<Given, Row>
  : BetterSqlite3.Statement<[Given], Row>;

/**
 * SQL that leads from one schema to the next. One whose change an older player need not know of, such as a new table, a
 * column that may be null or an index, says so: the players that could use the file before can use it after.
 */
export type Migration = string | { readonly addition: string };

export interface DatabaseOptions {
  readonly path: string;
  /** `full`: a commit survives a power cut. `normal`: the last ones may be lost, the file stays whole. */
  readonly durability: "full" | "normal";
  /** Of a large file, after a crash, only these tables are read through before it is used; by default all of it. */
  readonly readThrough?: readonly string[];
  /** Oldest first: step n leads from schema n to n + 1. Steps are added at the end, never changed. */
  readonly migrations: readonly Migration[];
}

export type DatabaseOpening =
  /** `setAside` is where a broken file was moved to, or null. */
  | { readonly kind: "open"; readonly database: Database; readonly setAside: string | null }
  /** Written by a newer version of the player, and changed in a way that this one does not know; nothing was touched. */
  | { readonly kind: "newer"; readonly found: number; readonly known: number }
  /** Could not be opened, by SQLite's or the system's code: `SQLITE_READONLY`, `EACCES`, `SQLITE_FULL`… */
  | { readonly kind: "unusable"; readonly code: string };

/** How long a statement waits for another connection, such as the command line's, to finish writing. */
const BUSY_MS = 5_000;

/**
 * Opens a database of the player in WAL mode, checked and migrated, making folder and file where they are missing. A
 * broken file is set aside together with its -wal and -shm, and a new one takes over.
 */
export function openDatabase(options: DatabaseOptions): DatabaseOpening {
  refuseFatalBinding();
  try {
    mkdirSync(dirname(options.path), { recursive: true });
    const opening = attempt(options, null);
    return opening === "broken" ? afresh(options) : opening;
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return { kind: "unusable", code };
  }
}

/** SQLite's or the system's code of an error (`SQLITE_FULL`, `EACCES`), or null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** Whether an error of SQLite's means that the file itself is broken; the last one, that its first page cannot be read. */
export function isBroken(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(codeOf(error) ?? "");
}

/** Runs what a disk may not take: whether it was taken. Throws what is no error of SQLite's or the system's. */
export function isTaken(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return false;
  }
}

/** Opens a database that is there so that nothing in it can be changed. Throws SQLite's errors. */
export function openReadOnly(path: string): Database {
  refuseFatalBinding();
  return new BetterSqlite3(path, { timeout: BUSY_MS, readonly: true, fileMustExist: true });
}

/**
 * What a connection keeps of its file in memory. Better-sqlite3 would keep 16 MB of each, and the player's memory would grow
 * with its record for half a day; the system has those pages anyway.
 */
const CACHE_KIB = 2_000;

/** Opens a database that is there, beside others that have it open. Throws SQLite's errors. */
export function openShared(path: string): Database {
  refuseFatalBinding();
  return new BetterSqlite3(path, { timeout: BUSY_MS, fileMustExist: true });
}

/**
 * Opens an empty file and locks it for as long as it is open. Throws at once: `SQLITE_BUSY` where another process, or
 * another part of this one, has it locked, `SQLITE_READONLY` where it cannot be written. Nobody can lock a file for
 * themselves that they may only read, and SQLite says nothing of it until something is to be changed.
 */
export function openLock(path: string): Database {
  refuseFatalBinding();
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    // Nothing is ever committed, and there is no journal that a crash could leave.
    database.pragma("journal_mode = memory");
    database.exec("begin exclusive; pragma user_version = 1");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function afresh(options: DatabaseOptions): DatabaseOpening {
  const opening = attempt(options, moveAside(options.path));
  if (opening === "broken") throw new Error(`a database that was just made is broken: ${options.path}`);
  return opening;
}

function attempt(options: DatabaseOptions, setAsideTo: string | null): DatabaseOpening | "broken" {
  const { path, durability, migrations, readThrough = [] } = options;
  try {
    // SQLite would throw away a log that belongs to nothing; there may be all in it that was ever committed.
    if (sizeOf(path) < HEADER_BYTES && sizeOf(`${path}-wal`) > 0) return "broken";
    const schema = sizeOf(path) > 0 ? inspect(path, readThrough) : { version: 0, usableFrom: 0 };
    if (schema === "broken") return "broken";
    const found = schema.version;
    if (schema.usableFrom > migrations.length) return { kind: "newer", found, known: migrations.length };
    const database = new BetterSqlite3(path, { timeout: BUSY_MS });
    try {
      database.pragma("journal_mode = wal");
      database.pragma(`synchronous = ${durability}`);
      database.pragma(`cache_size = -${CACHE_KIB}`);
      migrate(database, migrations, found);
      refuseReadOnly(database);
      return { kind: "open", database, setAside: setAsideTo };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (isBroken(error)) return "broken";
    throw error;
  }
}

/** A file's schema, by its number, and the oldest one whose players can use the file as it is. */
interface Schema {
  readonly version: number;
  readonly usableFrom: number;
}

/** Whether a player that knows so many migrations can use the file as it is, or once it is migrated. */
export function isUsableBy(database: Database, known: number): boolean {
  return schemaOf(database).usableFrom <= known;
}

/** Files keep it in the two numbers that SQLite leaves to its users; of one that lacks the second only its own schema is known. */
function schemaOf(database: Database): Schema {
  const version = Number(database.pragma("user_version", { simple: true }));
  return { version, usableFrom: Number(database.pragma("application_id", { simple: true })) || version };
}

/** The oldest schema whose players can use a file, by the bytes that it begins with (sqlite.org/fileformat2.html, 1.3). */
export function usableFromIn(header: Buffer): number {
  return header.readUInt32BE(APPLICATION_ID_AT) || header.readUInt32BE(USER_VERSION_AT);
}

const [USER_VERSION_AT, APPLICATION_ID_AT] = [60, 68];

/**
 * A file's schema, or that it is broken. Looked at through a connection that cannot write: closing one
 * that can would fold the -wal into a file that is about to be set aside, or was written by a newer version.
 */
function inspect(path: string, tables: readonly string[]): Schema | "broken" {
  const endedWell = sizeOf(`${path}-wal`) === 0;
  const database = openReadOnly(path);
  try {
    const schema = schemaOf(database);
    const isLarge = sizeOf(path) > LARGE_BYTES;
    if (endedWell && isLarge) return schema;
    const checks = isLarge && tables.length > 0 ? tables : ["1"];
    const isOk = (what: string) => database.pragma(`quick_check(${what})`, { simple: true }) === "ok";
    return checks.every(isOk) ? schema : "broken";
  } finally {
    database.close();
  }
}

/**
 * A file larger than this is read through at the start only after a crash: a month of proofs takes 0.3 s and more, in
 * which the screen would wait. What else is broken in it shows when it is come upon.
 */
const LARGE_BYTES = 32 * 1024 * 1024;

/** What a file of SQLite's begins with; one of a single byte it takes for empty. */
const HEADER_BYTES = 100;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * On a disk that is read-only SQLite opens what a crash left there for reading alone, without a word, and never writes to
 * it again, whatever becomes of the disk. Throws `SQLITE_READONLY` then.
 */
function refuseReadOnly(database: Database): void {
  try {
    database.exec(`begin immediate; pragma user_version = ${schemaOf(database).version}; rollback`);
  } catch (error) {
    // Somebody writes there just now, so it can be written to.
    if (!codeOf(error)?.startsWith("SQLITE_BUSY")) throw error;
  }
}

function migrate(database: Database, migrations: readonly Migration[], found: number): void {
  const step = database.transaction((migration: Migration, version: number) => {
    const isAddition = typeof migration !== "string";
    const { usableFrom } = schemaOf(database);
    database.exec(isAddition ? migration.addition : migration);
    database.pragma(`user_version = ${version}`);
    database.pragma(`application_id = ${isAddition ? usableFrom : version}`);
  });
  migrations.slice(found).forEach((migration, index) => {
    step.immediate(migration, found + index + 1);
  });
}

/** The prebuilt binding needs this version of Node-API (Node 22.14): below it, it takes the process down without a word. */
const LOWEST_NODE_API = 10;

/** Why SQLite's binding must not be loaded into this process, or null. One built for the runtime at hand always may. */
export function bindingFlaw(nodeApi: number, built: boolean): string | null {
  if (nodeApi >= LOWEST_NODE_API || built) return null;
  return (
    `SQLite cannot be loaded here: its prebuilt binding needs Node-API ${LOWEST_NODE_API} (Node 22.14 or newer), ` +
    `and this runtime has ${nodeApi}. Use a newer one, or build better-sqlite3 for it.`
  );
}

function refuseFatalBinding(): void {
  const folder = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));
  const built = existsSync(join(folder, "build", "Release", "better_sqlite3.node"));
  const flaw = bindingFlaw(Number(process.versions.napi), built);
  if (flaw !== null) throw new Error(flaw);
}

/** A store that cannot be used; the message says which, why and what can be done, the cause SQLite's or the system's code. */
export class StoreUnusable extends Error {
  override readonly name = "StoreUnusable";
}

/**
 * Opens one of the player's stores, or throws `StoreUnusable`. A broken one is set aside, with a line in the log, and so is
 * one that a newer version wrote and this one cannot use: a player that was brought back plays.
 */
export function openStore(
  path: string,
  durability: DatabaseOptions["durability"],
  migrations: DatabaseOptions["migrations"],
  log: Logger,
  readThrough: DatabaseOptions["readThrough"] = [],
): Database {
  const opening = openDatabase({ path, durability, migrations, readThrough });
  switch (opening.kind) {
    case "open":
      if (opening.setAside !== null) log.error({ path, kept: opening.setAside }, "a broken store was set aside");
      return opening.database;
    case "newer": {
      const { found, known } = opening;
      const kept = setAside(path);
      log.error({ path, kept, found, known }, "a store that a newer version of Spotloop wrote was set aside");
      return openStore(path, durability, migrations, log, readThrough);
    }
    case "unusable":
      throw new StoreUnusable(`${path} cannot be opened (${opening.code}): ${remedyFor(opening.code)}`, {
        cause: opening.code,
      });
  }
}

/** What can be done where no database can be opened, by the code that said so. */
export function remedyFor(code: string): string {
  // What processes share of a log of SQLite's is mapped into the memory of each (sqlite.org/wal.html).
  return /^SQLITE_IOERR_SHM(MAP|OPEN|LOCK)$/.test(code)
    ? "its file system shares no memory among processes; put dataDir on another, such as ext4"
    : "check the disk and who may write there";
}

function setAside(path: string): string {
  try {
    return moveAside(path);
  } catch (error) {
    throw new StoreUnusable(
      `${path} was written by a newer version of Spotloop, and cannot be set aside (${codeOf(error)})`,
    );
  }
}
