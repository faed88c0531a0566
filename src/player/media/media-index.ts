import type { CachedFile } from "../../core/eviction.ts";
import type { Instant } from "../../core/spot.ts";
import type { Migration } from "../database.ts";
import type { IndexFile } from "./index-file.ts";

/** What the cache knows of a URL: which bytes it stands for. */
export interface IndexedMedia {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** What the server called this version (RFC 9110 section 8.8), each as sent, or `null`. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Wall time from which it may have changed at its server. */
  readonly freshUntil: Instant;
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
  `alter table source add column etag text;
   alter table source add column last_modified text;
   alter table source add column fresh_until integer not null default 0;
   create table strike (
     key text primary key,
     count integer not null,
     last_at integer not null,
     until integer not null,
     reason text not null
   ) strict;`,
];

/** Which bytes each URL stands for and when they were last used; it can be rebuilt by downloading again. */
export class MediaIndex {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  find(key: string): IndexedMedia | null {
    return this.#file.use((db) => db.prepare<[string], IndexedMedia>(FIND).get(key) ?? null);
  }

  record(key: string, media: IndexedMedia, usedAt: Instant): void {
    const { digest, sizeBytes, contentType, etag, lastModified } = media;
    this.#file.use((db) =>
      db.inOneCommit(() => {
        db.prepare(RECORD_FILE).run(digest, sizeBytes, Math.trunc(usedAt));
        db.prepare(RECORD_SOURCE).run(key, digest, contentType, etag, lastModified, Math.trunc(media.freshUntil));
      }),
    );
  }

  touch(digest: string, usedAt: Instant): void {
    this.#file.use((db) => db.prepare("update file set used_at = ? where digest = ?").run(Math.trunc(usedAt), digest));
  }

  /** Its server says that a file has not changed. */
  renew(key: string, freshUntil: Instant): void {
    this.#file.use((db) =>
      db.prepare("update source set fresh_until = ? where key = ?").run(Math.trunc(freshUntil), key),
    );
  }

  forget(digest: string): void {
    this.#file.use((db) => db.prepare("delete from file where digest = ?").run(digest));
  }

  files(): readonly CachedFile[] {
    return this.#file.use((db) => db.prepare<[], CachedFile>(FILES).all());
  }

  /** Hears that all was lost. */
  onEmptied(hear: () => void): void {
    this.#file.onEmptied(hear);
  }
}

const FIND = `
  select digest, size_bytes as sizeBytes, content_type as contentType, etag, last_modified as lastModified,
    fresh_until as freshUntil
  from source join file using (digest) where key = ?`;

const RECORD_FILE = `
  insert into file (digest, size_bytes, used_at) values (?, ?, ?)
  on conflict do update set used_at = excluded.used_at`;

const RECORD_SOURCE = `
  insert into source (key, digest, content_type, etag, last_modified, fresh_until) values (?, ?, ?, ?, ?, ?)
  on conflict do update set digest = excluded.digest, content_type = excluded.content_type,
    etag = excluded.etag, last_modified = excluded.last_modified, fresh_until = excluded.fresh_until`;

const FILES = "select digest, size_bytes as sizeBytes, used_at as usedAt from file";
