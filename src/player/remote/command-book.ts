import type { Logger } from "pino";
import type { Instant } from "../../core/spot.ts";
import { type Database, type Migration, openStore, type Statement } from "../database.ts";

const migrations: readonly Migration[] = [
  `create table command (
     number integer primary key autoincrement,
     id text not null unique,
     received real not null,
     outcome text
   ) strict;`,
];

/** So many ids are kept: more than anybody sends within the time for which a command is fresh. */
export const MOST_IDS = 20_000;

/** What a book says of an id: it is `new` and now noted, or was `seen`, and came to this; null where that is not known. */
export type Noting =
  | { readonly kind: "new" }
  | { readonly kind: "seen"; readonly outcome: string | null }
  /** As many as are kept came within the time for which they are fresh. */
  | { readonly kind: "full" };

/**
 * The ids of the commands that came, on the disk before any is done: a command that comes again is not done again, after a
 * crash or a power cut either.
 */
export class CommandBook {
  readonly #database: Database;
  readonly #find: Statement<[id: string], { readonly outcome: string | null }>;
  readonly #oldest: Statement<[], { readonly number: number; readonly received: Instant }>;
  readonly #last: Statement<[], { readonly number: number }>;
  readonly #add: Statement<[id: string, received: Instant]>;
  readonly #settle: Statement<[outcome: string, id: string]>;
  readonly #remove: Statement<[upTo: number]>;
  readonly #mostIds: number;

  /** Opens the file, made where need be. Throws `StoreUnusable`. */
  constructor(path: string, log: Logger, mostIds = MOST_IDS) {
    this.#database = openStore(path, "full", migrations, log);
    this.#mostIds = mostIds;
    this.#find = this.#database.prepare("select outcome from command where id = ?");
    this.#oldest = this.#database.prepare("select number, received from command order by number limit 1");
    this.#last = this.#database.prepare("select number from command order by number desc limit 1");
    this.#add = this.#database.prepare("insert into command (id, received) values (?, ?)");
    this.#settle = this.#database.prepare("update command set outcome = ? where id = ?");
    this.#remove = this.#database.prepare("delete from command where number <= ?");
  }

  /** Commits that an id came; the oldest makes room, unless it came after `freshSince`. Throws SQLite's errors. */
  note(id: string, received: Instant, freshSince: Instant): Noting {
    return this.#database
      .transaction((): Noting => {
        const seen = this.#find.get(id);
        if (seen !== undefined) return { kind: "seen", outcome: seen.outcome };
        const oldest = this.#oldest.get();
        const last = this.#last.get()?.number ?? 0;
        if (oldest !== undefined && last - oldest.number >= this.#mostIds - 1) {
          if (oldest.received >= freshSince) return { kind: "full" };
          this.#remove.run(oldest.number);
        }
        this.#add.run(id, received);
        return { kind: "new" };
      })
      .immediate();
  }

  /** Commits what became of a command. Throws SQLite's errors. */
  settle(id: string, outcome: string): void {
    this.#settle.run(outcome, id);
  }

  close(): void {
    this.#database.close();
  }
}
