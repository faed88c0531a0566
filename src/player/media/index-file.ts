import { rmSync } from "node:fs";
import type { Logger } from "pino";
import { codeOf, type Database, type Migration, openDatabase } from "../database.ts";
import { openStore } from "../store-opening.ts";

/**
 * The file of the media index, kept usable while the player runs. All in it can be had again: when it turns out to be
 * broken it is removed, and an empty one takes over.
 */
export class IndexFile {
  readonly #path: string;
  readonly #migrations: readonly Migration[];
  readonly #log: Logger;
  #database: Database;
  #onEmptied: () => void = () => {};

  /** Opens the file, made and migrated where need be. Throws `StoreUnusable`. */
  constructor(path: string, migrations: readonly Migration[], log: Logger) {
    this.#path = path;
    this.#migrations = migrations;
    this.#log = log;
    this.#database = prepared(openStore(path, "normal", migrations, log));
  }

  /** Hears that an empty file has taken over. */
  onEmptied(hear: () => void): void {
    this.#onEmptied = hear;
  }

  /** Lets `act` work on the file; it may be called again from its beginning. Throws SQLite's errors that may pass. */
  use<T>(act: (database: Database) => T): T {
    try {
      return act(this.#database);
    } catch (error) {
      if (!/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? "")) throw error;
      this.#log.error({ path: this.#path, code: codeOf(error) }, "the media index is broken and is made anew");
      this.#replace();
      return act(this.#database);
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
    this.#database = prepared(opening.database);
    this.#onEmptied();
  }
}

function prepared(database: Database): Database {
  database.pragma("foreign_keys = on");
  return database;
}
