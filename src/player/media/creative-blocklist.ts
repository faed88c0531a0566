import { isBlocked, LONGEST_BLOCK_MS, type StrikeKind, type Strikes, struck } from "../../core/backoff.ts";
import type { Instant } from "../../core/spot.ts";
import type { IndexFile } from "./media-index.ts";

/**
 * Remembers, across restarts, which creatives failed again and again; kept beside the media index. A strike that the disk
 * does not take, or does not give back, is forgotten.
 */
export class CreativeBlocklist {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  /** Why a creative, by its key, is blocked at `now`, wall time; `null` where it is not. */
  blockReason(key: string, now: Instant): string | null {
    const entry = this.#find(key);
    if (entry === null || !isBlocked(entry, now)) return null;
    return `blocked, since it failed ${entry.count} times, the last time: ${entry.reason}`;
  }

  /** Notes a failure, wall time `now`. */
  strike(key: string, fault: StrikeKind, reason: string, now: Instant): void {
    const { count, lastAt, until } = struck(this.#find(key), fault, now);
    this.#file.writeIfTaken((db) => {
      db.prepare(STRIKE).run(key, count, Math.trunc(lastAt), Math.trunc(until), reason);
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  /** Forgets the strikes of a creative that was shown in full. */
  clear(key: string): void {
    this.#file.writeIfTaken((db) => db.prepare("delete from strike where key = ?").run(key));
  }

  /** Forgets the strikes of files that were larger than another limit than this one, which may have let them in. */
  keepLimit(maxBytes: number): void {
    this.#file.writeIfTaken((db) => db.prepare(FORGET_OTHER_LIMITS).run(largerThan("%"), largerThan(maxBytes)));
  }

  /** How many creatives are blocked at `now`, wall time. */
  blockedCount(now: Instant): number {
    const query = "select count(*) as count from strike where until > @now and until <= @now + @longest";
    const given = { now: Math.trunc(now), longest: LONGEST_BLOCK_MS };
    return this.#file.use((db) => db.prepare<[object], { readonly count: number }>(query).get(given)?.count ?? 0);
  }

  #find(key: string): Entry | null {
    const query = "select count, last_at as lastAt, until, reason from strike where key = ?";
    return this.#file.readOr(null, (db) => db.prepare<[string], Entry>(query).get(key) ?? null);
  }
}

interface Entry extends Strikes {
  readonly reason: string;
}

/** The reason for a strike of a file that is larger than the configuration lets any be. */
export function largerThan(maxBytes: number | "%"): string {
  return `more than ${maxBytes} bytes`;
}

const FORGET_OTHER_LIMITS = "delete from strike where reason like ? and reason <> ?";

/** More creatives than any screen sees in a day. */
const MOST_ENTRIES = 10_000;

const STRIKE = `
  insert into strike (key, count, last_at, until, reason) values (?, ?, ?, ?, ?)
  on conflict do update set count = excluded.count, last_at = excluded.last_at, until = excluded.until,
    reason = excluded.reason`;

const PRUNE = `
  delete from strike where rowid in (select rowid from strike order by last_at desc limit -1 offset ?)`;
