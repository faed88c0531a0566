import { rmSync } from "node:fs";
import type { Logger } from "pino";
import { BLOCK_BYTES, bytesOnDisk, type CachedFile, type CacheSize } from "../../core/media/cache-policy.ts";
import type { Instant } from "../../core/spot.ts";
import { CommitFlush } from "../stores/commit-flush.ts";
import {
  codeOf,
  type Database,
  isBroken,
  isTaken,
  type Migration,
  openDatabase,
  openStore,
  type Statement,
} from "../stores/database.ts";
import { fileIdOf } from "../stores/set-aside.ts";
import type { IndexedMedia, PageHeaders } from "./media.ts";

/** The last changes need not survive a power cut. An item changes up to three rows, each in up to two pages of the log. */
const PACE = { changesAFlush: 300, flushesACheckpoint: 1 };

/** A statement waits this long for another process: what it would have written is known again, and the screen must not wait. */
const BUSY_MS = 100;

/** A full cache needs a part of it, but pages may ask by new and long URLs each time. Beyond it the file is as on a full disk. */
const MOST_FILE_BYTES = 1024 ** 3;

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
  #open: Open;
  /** It was broken, and none could be made in its place yet. */
  #isLost = false;
  #onReplaced: () => void = () => {};

  /** Opens the file, made and migrated where need be. Throws `StoreUnusable`. */
  constructor(path: string, migrations: readonly Migration[], log: Logger) {
    this.#path = path;
    this.#migrations = migrations;
    this.#log = log;
    this.#open = prepared(openStore(path, "normal", migrations, log), path);
  }

  /** Hears that another file has taken over, which may be empty. */
  onReplaced(hear: () => void): void {
    this.#onReplaced = hear;
  }

  /** Lets `act` work on the file; it may be called again from its beginning. Throws SQLite's errors that may pass. */
  use<T>(act: (connection: IndexConnection) => T): T {
    const result = this.#use(act);
    this.#open.flush?.begin();
    return result;
  }

  /** As `use`, for what is as good as not known where the disk does not give it back: nothing on the screen may end for that. */
  readOr<T>(otherwise: T, act: (connection: IndexConnection) => T): T {
    let found = otherwise;
    isTaken(() => {
      found = this.use(act);
    });
    return found;
  }

  /** As `use`, for what is better forgotten than waited for: nothing on the screen may end because the disk is full. */
  writeIfTaken(act: (connection: IndexConnection) => unknown): void {
    isTaken(() => this.use(act));
  }

  close(): void {
    if (this.#isLost) return;
    this.#open.flush?.close();
    this.#open.database.close();
  }

  #use<T>(act: (connection: IndexConnection) => T): T {
    try {
      if (this.#isLost) this.#replace();
      return act(this.#open.connection);
    } catch (error) {
      if (UNREACHED.test(codeOf(error) ?? "") && fileIdOf(this.#path) !== this.#open.fileId) {
        this.#reopen();
        return act(this.#open.connection);
      }
      if (!isBroken(error)) throw error;
      this.#log.error({ path: this.#path, code: codeOf(error) }, "the media index is broken and is made anew");
      this.close();
      this.#isLost = true;
      this.#replace();
      return act(this.#open.connection);
    }
  }

  /** The disk of the open one went, and it, or another, is back in its place. */
  #reopen(): void {
    const gone = this.#open;
    this.#open = prepared(this.#opened(), this.#path);
    this.#log.error({ path: this.#path }, "the disk of the media index went: it is opened anew");
    gone.flush?.close();
    isTaken(() => gone.database.close());
    this.#onReplaced();
  }

  /** What keeps another from being made may pass: then it is tried again each time. */
  #replace(): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.#path + suffix, { force: true });
    this.#open = prepared(this.#opened(), this.#path);
    this.#isLost = false;
    this.#onReplaced();
  }

  #opened(): Database {
    const opening = openDatabase({ path: this.#path, durability: "normal", migrations: this.#migrations });
    if (opening.kind !== "open") throw new IndexLost(opening.kind === "unusable" ? opening.code : "newer");
    return opening.database;
  }
}

/** There is no index at the moment, by the code of what keeps one from being made. */
class IndexLost extends Error {
  override readonly name = "IndexLost";
  readonly code: string;

  constructor(code: string) {
    super(`the media index cannot be made anew: ${code}`);
    this.code = code;
  }
}

interface Open {
  readonly database: Database;
  readonly connection: IndexConnection;
  readonly flush: CommitFlush | null;
  /** Names the file itself, wherever it is. */
  readonly fileId: string | null;
}

function prepared(database: Database, path: string): Open {
  database.pragma(`busy_timeout = ${BUSY_MS}`);
  // A disk that takes nothing is told of by the proofs, which are on it, too.
  const flush = CommitFlush.of(database, path, PACE, () => {});
  return { database, connection: connectionOf(database), flush, fileId: fileIdOf(path) };
}

/** SQLite could not read or write its files. */
const UNREACHED = /^SQLITE_IOERR/;

function connectionOf(database: Database): IndexConnection {
  database.pragma("foreign_keys = on");
  database.pragma(`max_page_count = ${MOST_FILE_BYTES / Number(database.pragma("page_size", { simple: true }))}`);
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

/** Which bytes each URL stands for and when they were last used; it can be rebuilt by downloading again. */
export class MediaIndex {
  readonly #file: IndexFile;
  /** As counted once, and what has come and gone since; null where it is to be counted. */
  #size: CacheSize | null = null;
  #onEmptied: () => void = () => {};

  constructor(file: IndexFile) {
    this.#file = file;
    file.onReplaced(() => {
      this.#size = null;
      if (this.size().files === 0) this.#onEmptied();
    });
  }

  find(key: string): IndexedMedia | null {
    const row = this.#file.use((db) => db.prepare<[string], SourceRow>(FIND).get(key) ?? null);
    return row === null ? null : { ...row, headers: JSON.parse(row.headers) as PageHeaders };
  }

  /** Records what a key stands for, and the URL that a redirect led to with it: it stands for the same bytes. */
  record(key: string, media: IndexedMedia, usedAt: Instant): void {
    const { digest, sizeBytes, contentType, etag, lastModified, finalUrl } = media;
    const freshUntil = Math.trunc(media.freshUntil);
    const isNew = !this.has(digest);
    const described = [digest, contentType, etag, lastModified, freshUntil, JSON.stringify(media.headers)] as const;
    this.#file.use((db) =>
      db.inOneCommit(() => {
        db.prepare(RECORD_FILE).run(digest, sizeBytes, Math.trunc(usedAt));
        // A redirect may lead elsewhere each time.
        db.prepare("delete from source where key = (select final_url from source where key = ?)").run(key);
        db.prepare(RECORD_SOURCE).run(key, ...described, finalUrl);
        if (finalUrl !== null) db.prepare(RECORD_SOURCE).run(finalUrl, ...described, null);
        db.prepare(FORGET_SOURCES).run(digest, MOST_SOURCES);
      }),
    );
    if (isNew) this.#grow(1, bytesOnDisk(sizeBytes));
  }

  touch(digest: string, usedAt: Instant): void {
    this.#file.use((db) => db.prepare(TOUCH).run(Math.trunc(usedAt), digest));
  }

  /** Its server says that a file has not changed. */
  renew(key: string, freshUntil: Instant): void {
    const renewal = "update source set fresh_until = ? where key = ?";
    this.#file.use((db) => db.prepare(renewal).run(Math.trunc(freshUntil), key));
  }

  forget(digests: readonly string[]): void {
    const gone = this.#file.use((db) => {
      const sizes: number[] = [];
      db.inOneCommit(() => {
        for (const digest of digests) sizes.push(...db.prepare<[string], number>(FORGET).pluck().all(digest));
      });
      return sizes;
    });
    for (const sizeBytes of gone) this.#grow(-1, -bytesOnDisk(sizeBytes));
  }

  /** Whether any key stands for these bytes. */
  has(digest: string): boolean {
    return this.#file.use((db) => db.prepare("select 1 from file where digest = ?").get(digest) !== undefined);
  }

  files(): readonly CachedFile[] {
    return this.#file.use((db) => db.prepare<[], CachedFile>(FILES).all());
  }

  /** Lets `choose` read the files as far as it needs, the least recently used first; it may ask for nothing else meanwhile. */
  byUse<T>(choose: (oldestFirst: Iterable<CachedFile>) => T): T {
    return this.#file.use((db) => choose(db.prepare<[], CachedFile>(`${FILES} order by used_at`).iterate()));
  }

  /** Known without a look at each file: it is asked for at each download. Nobody else changes the files of an index. */
  size(): CacheSize {
    this.#size ??= this.#file.use((db) => db.prepare<[], CacheSize>(SIZE).get()) ?? { files: 0, bytes: 0 };
    return this.#size;
  }

  /** Hears that all was lost. */
  onEmptied(hear: () => void): void {
    this.#onEmptied = hear;
  }

  #grow(files: number, bytes: number): void {
    if (this.#size !== null) this.#size = { files: this.#size.files + files, bytes: this.#size.bytes + bytes };
  }
}

/** Headers as JSON. */
type SourceRow = Omit<IndexedMedia, "headers"> & { readonly headers: string };

const FIND = `
  select digest, size_bytes as sizeBytes, content_type as contentType, etag, last_modified as lastModified,
    fresh_until as freshUntil, headers, final_url as finalUrl from source join file using (digest) where key = ?`;

/** A clock that was set back must not make what is used now the first to go: each use is later than all before it. */
const USED_NOW = "max(?, (select coalesce(max(used_at) + 1, 0) from file))";

const TOUCH = `update file set used_at = ${USED_NOW} where digest = ?`;

const RECORD_FILE = `
  insert into file (digest, size_bytes, used_at) values (?, ?, ${USED_NOW})
  on conflict do update set used_at = excluded.used_at`;

const RECORD_SOURCE = `
  insert into source (key, digest, content_type, etag, last_modified, fresh_until, headers, final_url)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do update set digest = excluded.digest, content_type = excluded.content_type, etag = excluded.etag,
    last_modified = excluded.last_modified, fresh_until = excluded.fresh_until, headers = excluded.headers,
    final_url = excluded.final_url`;

/** Of the same bytes so many URLs are kept, those that came last: spots may sign theirs anew. More than one page can ask for. */
const MOST_SOURCES = 1_000;

/** A few at a time, so that no commit holds up the loop. */
const FORGET_SOURCES = `
  delete from source where rowid in (select rowid from source where digest = ? order by rowid desc limit 100 offset ?)`;

const FORGET = "delete from file where digest = ? returning size_bytes";

const FILES = "select digest, size_bytes as sizeBytes from file";

const SIZE = `
  select count(*) as files, coalesce(sum((size_bytes + ${BLOCK_BYTES - 1}) / ${BLOCK_BYTES}), 0) * ${BLOCK_BYTES} as bytes
  from file`;
