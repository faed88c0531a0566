import type { Absence } from "../../core/media/cache-policy.ts";
import { noted, type PageLoads, recorded } from "../../core/media/page-lead.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { MediaRequest } from "./download.ts";
import type { ErrorResponse } from "./media.ts";
import { keyOf } from "./media-cache.ts";
import type { IndexFile } from "./media-index.ts";

/** A server's answer that there is nothing for a page. */
export interface NotedRefusal {
  readonly status: number;
  readonly askedAt: Instant;
  readonly response: ErrorResponse | null;
}

/**
 * Remembers, across restarts, what pages could not have: by page what was absent, by URL what a server refused. It is
 * kept beside the media index. What a disk does not take, or give back, is found out again. Instants are wall time.
 */
export class AbsenceBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  absence(document: string, part: string): Absence | null {
    const query = "select count, counted_at as countedAt from absence where document = ? and part = ?";
    return this.#file.readOr(null, (db) => db.prepare<[string, string], Absence>(query).get(document, part) ?? null);
  }

  noteAbsence(document: string, part: string, { count, countedAt }: Absence): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(NOTE_ABSENCE).run(document, part, count, Math.trunc(countedAt));
      db.prepare(PRUNE_ABSENCES).run(MOST_ENTRIES);
    });
  }

  /** It was had again. */
  clearAbsence(document: string, part: string): void {
    this.#file.writeIfTaken((db) =>
      db.prepare("delete from absence where document = ? and part = ?").run(document, part),
    );
  }

  refusal(url: string): NotedRefusal | null {
    const row = this.#file.readOr(null, (db) => db.prepare<[string], RefusalRow>(FIND_REFUSAL).get(url) ?? null);
    if (row === null) return null;
    const { status, askedAt, contentType, said } = row;
    return { status, askedAt, response: said === null ? null : { contentType: contentType ?? "", text: said } };
  }

  noteRefusal(url: string, { status, askedAt, response }: NotedRefusal): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(NOTE_REFUSAL).run(
        url,
        status,
        Math.trunc(askedAt),
        response?.contentType ?? null,
        response?.text ?? null,
      );
      db.prepare(PRUNE_REFUSALS).run(MOST_ENTRIES);
    });
  }

  clearRefusal(url: string): void {
    this.#file.writeIfTaken((db) => db.prepare("delete from refusal where url = ?").run(url));
  }
}

/** Of each kind, the newest are kept: more than the pages of a month lack. */
const MOST_ENTRIES = 10_000;

const NOTE_ABSENCE = `
  insert into absence (document, part, count, counted_at) values (?, ?, ?, ?)
  on conflict do update set count = excluded.count, counted_at = excluded.counted_at`;

const PRUNE_ABSENCES = `
  delete from absence where rowid in (select rowid from absence order by counted_at desc limit -1 offset ?)`;

interface RefusalRow extends Omit<NotedRefusal, "response"> {
  readonly contentType: string | null;
  readonly said: string | null;
}

const FIND_REFUSAL = `
  select status, asked_at as askedAt, content_type as contentType, said from refusal where url = ?`;

const NOTE_REFUSAL = `
  insert into refusal (url, status, asked_at, content_type, said) values (?, ?, ?, ?, ?)
  on conflict do update set status = excluded.status, asked_at = excluded.asked_at,
    content_type = excluded.content_type, said = excluded.said`;

const PRUNE_REFUSALS = `
  delete from refusal where rowid in (select rowid from refusal order by asked_at desc limit -1 offset ?)`;

/** A page, as far as it is told from others. */
type Page = Pick<MediaRequest, "url" | "md5">;

/** Remembers, across restarts, how long each page took to load. It is kept beside the media index, by the same keys. */
export class PageLoadBook {
  readonly #file: IndexFile;
  readonly #clock: Pick<Clock, "wall">;

  constructor(file: IndexFile, clock: Pick<Clock, "wall">) {
    this.#file = file;
    this.#clock = clock;
  }

  find(page: Page): PageLoads | null {
    const row = this.#file.readOr(null, (db) => db.prepare<[string], LoadsRow>(FIND_LOADS).get(keyOf(page)) ?? null);
    return row === null ? null : { ...row, seenMs: JSON.parse(row.seenMs) as number[] };
  }

  /** A page was loaded in the background, all of it from the cache; `digest` is its document's. */
  record(page: Page, digest: string, loadMs: number): void {
    this.#write(page, recorded(this.find(page), digest, loadMs, this.#clock.wall()));
  }

  /** A page was loaded to be seen, all of it from the cache. */
  note(page: Page, digest: string, loadMs: number): void {
    this.#write(page, noted(this.find(page), digest, loadMs));
  }

  /** On a disk that takes nothing a page is begun as early as one of which nothing is known. */
  #write(page: Page, { digest, recordedMs, seenMs, recordedAt }: PageLoads): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(NOTE_LOADS).run(keyOf(page), digest, recordedMs, JSON.stringify(seenMs), Math.trunc(recordedAt));
      db.prepare(PRUNE_LOADS).run(MOST_PAGES);
    });
  }
}

/** The pages that were recorded last: more than any screen shows in a month. */
const MOST_PAGES = 500;

interface LoadsRow extends Omit<PageLoads, "seenMs"> {
  /** As JSON. */
  readonly seenMs: string;
}

const FIND_LOADS = `
  select digest, recorded_ms as recordedMs, seen_ms as seenMs, recorded_at as recordedAt
  from page_load where key = ?`;

const NOTE_LOADS = `
  insert into page_load (key, digest, recorded_ms, seen_ms, recorded_at) values (?, ?, ?, ?, ?)
  on conflict do update set digest = excluded.digest, recorded_ms = excluded.recorded_ms,
    seen_ms = excluded.seen_ms, recorded_at = excluded.recorded_at`;

const PRUNE_LOADS =
  "delete from page_load where key in (select key from page_load order by recorded_at desc limit -1 offset ?)";
