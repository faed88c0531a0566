import { rmSync } from "node:fs";
import type { Logger } from "pino";
import { codeOf, type Database, type Migration, openDatabase, type Statement } from "../database.ts";
import { openStore } from "../store-opening.ts";

/** What can be said to the file. */
export interface IndexConnection {
  /** A statement by its SQL, prepared once for as long as the file is open. */
  prepare<Given extends unknown[], Row = unknown>(sql: string): Statement<Given, Row>;
  inOneCommit(act: () => void): void;
}

/**
 * The file of the media index, kept usable while the player runs. All in it can be had again: when it turns out to be
 * broken it is removed, and an empty one takes over.
 */
export class IndexFile {
  readonly #path: string;
  readonly #migrations: readonly Migration[];
  readonly #log: Logger;
  #database: Database;
  #connection: IndexConnection;
  #onEmptied: () => void = () => {};

  /** Opens the file, made and migrated where need be. Throws `StoreUnusable`. */
  constructor(path: string, migrations: readonly Migration[], log: Logger) {
    this.#path = path;
    this.#migrations = migrations;
    this.#log = log;
    this.#database = openStore(path, "normal", migrations, log);
    this.#connection = connectionOf(this.#database);
  }

  /** Hears that an empty file has taken over. */
  onEmptied(hear: () => void): void {
    this.#onEmptied = hear;
  }

  /** Lets `act` work on the file; it may be called again from its beginning. Throws SQLite's errors that may pass. */
  use<T>(act: (connection: IndexConnection) => T): T {
    try {
      return act(this.#connection);
    } catch (error) {
      if (!/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? "")) throw error;
      this.#log.error({ path: this.#path, code: codeOf(error) }, "the media index is broken and is made anew");
      this.#replace();
      return act(this.#connection);
    }
  }

  close(): void {
    this.#database.close();
  }

  #replace(): void {
    this.#database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.#path + suffix, { force: true });
    const opening = openDatabase({ path: this.#path, durability: "normal", migrations: this.#migrations });
    if (opening.kind !== "open") throw new Error(`the media index cannot be made anew: ${opening.kind}`);
    this.#database = opening.database;
    this.#connection = connectionOf(opening.database);
    this.#onEmptied();
  }
}

function connectionOf(database: Database): IndexConnection {
  database.pragma("foreign_keys = on");
  const statements = new Map<string, Statement>();
  return {
    prepare<Given extends unknown[], Row>(sql: string) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement as Statement<Given, Row>;
    },
    inOneCommit: database.transaction((act: () => void) => act()),
  };
}
