import type { Instant } from "../core/spot.ts";
import { isQuarantined, MOST_STRIKES, type Strikes, struck } from "../core/strikes.ts";
import { codeOf, type Database } from "./database.ts";

/** Remembers, across restarts, which creatives failed by their own fault. It is given the media index's database. */
export class StrikeBook {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#statements = prepare(db);
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
    this.#write(() => {
      this.#statements.note.run(key, count, Math.trunc(lastAt), reason);
      this.#statements.prune.run(MOST_ENTRIES);
    });
  }

  /** What was shown in full is all right. */
  clear(key: string): void {
    this.#write(() => this.#statements.clear.run(key));
  }

  /** A strike that the disk does not take is forgiven: nothing on the screen may end because of it. */
  #write(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (codeOf(error) === null) throw error;
    }
  }

  #find(key: string): (Strikes & { readonly reason: string }) | null {
    return this.#statements.find.get(key) ?? null;
  }
}

/** More creatives than any screen sees in a day. */
const MOST_ENTRIES = 10_000;

function prepare(db: Database) {
  return {
    find: db.prepare<[string], Strikes & { readonly reason: string }>(
      "select count, last_at as lastAt, reason from strike where key = ?",
    ),
    note: db.prepare(
      `insert into strike (key, count, last_at, reason) values (?, ?, ?, ?)
       on conflict do update set count = excluded.count, last_at = excluded.last_at, reason = excluded.reason`,
    ),
    clear: db.prepare("delete from strike where key = ?"),
    prune: db.prepare(
      "delete from strike where key in (select key from strike order by last_at desc limit -1 offset ?)",
    ),
  };
}
