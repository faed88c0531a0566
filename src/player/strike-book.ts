import type { Instant } from "../core/spot.ts";
import { isQuarantined, MOST_STRIKES, type Strikes, struck } from "../core/strikes.ts";
import type { IndexFile } from "./index-file.ts";

/** Remembers, across restarts, which creatives failed by their own fault. They are kept beside the media index. */
export class StrikeBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  /** Why what goes by a key is quarantined at `now`, wall time; `null` where it is not. */
  quarantine(key: string, now: Instant): string | null {
    const entry = this.#find(key);
    if (entry === null || !isQuarantined(entry, now)) return null;
    return `quarantined, since it failed ${entry.count} times; the last time: ${entry.reason}`;
  }

  /** Notes a failure. One that is certain to come again, `always`, weighs as much as all that it takes. */
  strike(key: string, reason: string, now: Instant, always = false): void {
    const { count, lastAt } = struck(this.#find(key), always ? MOST_STRIKES : 1, now);
    this.#file.use((db) => {
      db.prepare(STRIKE).run(key, count, Math.trunc(lastAt), reason);
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  /** What was shown in full is all right. */
  clear(key: string): void {
    this.#file.use((db) => db.prepare("delete from strike where key = ?").run(key));
  }

  #find(key: string): Entry | null {
    const query = "select count, last_at as lastAt, reason from strike where key = ?";
    return this.#file.use((db) => db.prepare<[string], Entry>(query).get(key) ?? null);
  }
}

interface Entry extends Strikes {
  readonly reason: string;
}

/** More creatives than any screen sees in a day. */
const MOST_ENTRIES = 10_000;

const STRIKE = `
  insert into strike (key, count, last_at, reason) values (?, ?, ?, ?)
  on conflict do update set count = excluded.count, last_at = excluded.last_at, reason = excluded.reason`;

const PRUNE = `
  delete from strike where key in (select key from strike order by last_at desc limit -1 offset ?)`;
