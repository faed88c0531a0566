import { existsSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { quarantine } from "./quarantine.ts";

export type Database = BetterSqlite3.Database;

/** SQL that leads from one schema to the next. */
export type Migration = string;

export interface DatabaseOptions {
  readonly path: string;
  /** `full`: a commit survives a power cut. `normal`: the last ones may be lost, the file stays whole. */
  readonly durability: "full" | "normal";
  /** Oldest first: step n leads from schema n to n + 1. Steps are added at the end, never changed. */
  readonly migrations: readonly Migration[];
}

export type DatabaseOpening =
  /** `quarantined` is where the file went that was found broken, where there was one. */
  | { readonly kind: "open"; readonly database: Database; readonly quarantined: string | null }
  /** Written by a newer version of the player; nothing was touched. */
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

export type DatabaseReading =
  | { readonly kind: "open"; readonly database: Database }
  /** By SQLite's or the system's code. */
  | { readonly kind: "unreadable"; readonly code: string };

/** Opens a database that is there, of whatever schema, to look at it beside a running player: nothing is changed. */
export function readDatabase(path: string): DatabaseReading {
  refuseFatalBinding();
  try {
    const database = new BetterSqlite3(path, { timeout: BUSY_MS, readonly: true, fileMustExist: true });
    try {
      database.pragma("user_version");
      return { kind: "open", database };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return { kind: "unreadable", code };
  }
}

/** SQLite's or the system's code of an error (`SQLITE_FULL`, `EACCES`), or null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

function afresh(options: DatabaseOptions): DatabaseOpening {
  const opening = attempt(options, quarantine(options.path));
  if (opening === "broken") throw new Error(`a database that was just made is broken: ${options.path}`);
  return opening;
}

function attempt(options: DatabaseOptions, quarantined: string | null): DatabaseOpening | "broken" {
  const { path, durability, migrations } = options;
  try {
    const found = existsSync(path) && statSync(path).size > 0 ? inspect(path) : 0;
    if (found === "broken") return "broken";
    if (found > migrations.length) return { kind: "newer", found, known: migrations.length };
    const database = new BetterSqlite3(path, { timeout: BUSY_MS });
    try {
      database.pragma("journal_mode = wal");
      database.pragma(`synchronous = ${durability}`);
      migrate(database, migrations, found);
      return { kind: "open", database, quarantined };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? "")) return "broken";
    throw error;
  }
}

/**
 * The version of a file's schema, or that it is broken. Looked at through a connection that cannot write: closing one
 * that can would fold the -wal into a file that is about to be set aside, or was written by a newer version.
 */
function inspect(path: string): number | "broken" {
  const database = new BetterSqlite3(path, { timeout: BUSY_MS, readonly: true });
  try {
    const version = Number(database.pragma("user_version", { simple: true }));
    return database.pragma("quick_check(1)", { simple: true }) === "ok" ? version : "broken";
  } finally {
    database.close();
  }
}

function migrate(database: Database, migrations: readonly Migration[], found: number): void {
  const step = database.transaction((sql: string, version: number) => {
    database.exec(sql);
    database.pragma(`user_version = ${version}`);
  });
  migrations.slice(found).forEach((sql, index) => {
    step.immediate(sql, found + index + 1);
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
