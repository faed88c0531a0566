import type { CachedFile } from "../core/eviction.ts";
import type { Instant } from "../core/spot.ts";
import type { Database, Migration } from "./database.ts";

/** What the cache knows of a URL: which bytes it stands for. */
export interface IndexedMedia {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly contentType: string;
}

/** The schema of the media index, oldest step first. */
export const mediaIndexMigrations: readonly Migration[] = [
  `create table file (
     digest text primary key,
     size_bytes integer not null,
     used_at integer not null
   ) strict;
   create table source (
     key text primary key,
     digest text not null references file (digest) on delete cascade,
     content_type text not null
   ) strict;
   create index source_by_digest on source (digest);`,
];

/** Which bytes each URL stands for and when they were last used; it can be rebuilt by downloading again. */
export class MediaIndex {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.pragma("foreign_keys = on");
  }

  find(key: string): IndexedMedia | null {
    const row = this.#db
      .prepare<[string], IndexedMedia>(
        `select digest, size_bytes as sizeBytes, content_type as contentType
         from source join file using (digest) where key = ?`,
      )
      .get(key);
    return row ?? null;
  }

  record(key: string, media: IndexedMedia, usedAt: Instant): void {
    this.#db.transaction(() => {
      this.#db
        .prepare(
          `insert into file (digest, size_bytes, used_at) values (?, ?, ?)
           on conflict do update set used_at = excluded.used_at`,
        )
        .run(media.digest, media.sizeBytes, Math.trunc(usedAt));
      this.#db
        .prepare(
          `insert into source (key, digest, content_type) values (?, ?, ?)
           on conflict do update set digest = excluded.digest, content_type = excluded.content_type`,
        )
        .run(key, media.digest, media.contentType);
    })();
  }

  touch(digest: string, usedAt: Instant): void {
    this.#db.prepare("update file set used_at = ? where digest = ?").run(Math.trunc(usedAt), digest);
  }

  forget(digest: string): void {
    this.#db.prepare("delete from file where digest = ?").run(digest);
  }

  files(): readonly CachedFile[] {
    return this.#db
      .prepare<[], CachedFile>("select digest, size_bytes as sizeBytes, used_at as usedAt from file")
      .all();
  }

  close(): void {
    this.#db.close();
  }
}
