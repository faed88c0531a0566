import type { Instant } from "../../core/spot.ts";
import { type Fault, isQuarantined, type Strikes, struck } from "../../core/strikes.ts";
import { codeOf } from "../database.ts";
import type { IndexConnection, IndexFile } from "./index-file.ts";

/** Remembers, across restarts, which creatives failed again and again. They are kept beside the media index. */
export class StrikeBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  /** Why what goes by a key is quarantined at `now`, wall time; `null` where it is not. */
  quarantine(key: string, now: Instant): string | null {
    const entry = this.#find(key);
    if (entry === null || !isQuarantined(entry, now)) return null;
    return `quarantined, since it failed ${entry.count} times, the last time: ${entry.reason}`;
  }

  /** Notes a failure, wall time `now`. */
  strike(key: string, fault: Fault, reason: string, now: Instant): void {
    const { count, lastAt, until } = struck(this.#find(key), fault, now);
    this.#write((db) => {
      db.prepare(STRIKE).run(key, count, Math.trunc(lastAt), Math.trunc(until), reason);
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  /** What was shown in full is all right. */
  clear(key: string): void {
    this.#write((db) => db.prepare("delete from strike where key = ?").run(key));
  }

  /** A strike that the disk does not take is forgiven: nothing on the screen may end because of it. */
  #write(act: (db: IndexConnection) => unknown): void {
    try {
      this.#file.use(act);
    } catch (error) {
      if (codeOf(error) === null) throw error;
    }
  }

  #find(key: string): Entry | null {
    const query = "select count, last_at as lastAt, until, reason from strike where key = ?";
    return this.#file.use((db) => db.prepare<[string], Entry>(query).get(key) ?? null);
  }
}

interface Entry extends Strikes {
  readonly reason: string;
}

/** More creatives than any screen sees in a day. */
const MOST_ENTRIES = 10_000;

const STRIKE = `
  insert into strike (key, count, last_at, until, reason) values (?, ?, ?, ?, ?)
  on conflict do update set count = excluded.count, last_at = excluded.last_at, until = excluded.until,
    reason = excluded.reason`;

const PRUNE = `
  delete from strike where key in (select key from strike order by last_at desc limit -1 offset ?)`;
