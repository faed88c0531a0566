import type { Instant } from "../../core/spot.ts";
import { type Fault, isQuarantined, QUARANTINE_MS, type Strikes, struck } from "../../core/strikes.ts";
import type { IndexFile } from "./media-index.ts";

/**
 * Remembers, across restarts, which creatives failed again and again. They are kept beside the media index. A strike that
 * the disk does not take is forgiven.
 */
export class CreativeBlocklist {
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
    this.#file.writeIfTaken((db) => {
      db.prepare(STRIKE).run(key, count, Math.trunc(lastAt), Math.trunc(until), reason);
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  /** What was shown in full is all right. */
  clear(key: string): void {
    this.#file.writeIfTaken((db) => db.prepare("delete from strike where key = ?").run(key));
  }

  /** How many creatives are quarantined at `now`, wall time. */
  quarantined(now: Instant): number {
    const query = "select count(*) as count from strike where until > @now and until <= @now + @longest";
    const given = { now: Math.trunc(now), longest: QUARANTINE_MS };
    return this.#file.use((db) => db.prepare<[object], { readonly count: number }>(query).get(given)?.count ?? 0);
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
