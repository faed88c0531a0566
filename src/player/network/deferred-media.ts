import type { Logger } from "pino";
import { LARGE_BYTES } from "../../core/media/data-budget.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { MediaRequest } from "../media/download.ts";
import type { MediaCache } from "../media/media-cache.ts";
import type { IndexFile } from "../media/media-index.ts";
import type { MediaLine } from "./media-line.ts";

export interface DeferredMediaParts {
  readonly book: Pick<DeferredBook, "list" | "forget">;
  readonly cache: Pick<MediaCache, "obtain" | "release">;
  readonly line: Pick<MediaLine, "refusal">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** How often it is looked whether the hours for large media have begun, which may be over in minutes. */
const LOOK_EVERY_MS = 60_000;
/** What did not come is asked for again after so long. */
const AGAIN_MS = 15 * 60_000;
/** Media that no spot named for this long probably belong to a campaign that is over. */
const NAMED_WITHIN_MS = 2 * 24 * 3_600_000;

/**
 * Downloads deferred large media during their hours, one at a time, the last requested first, until the signal is raised:
 * the next spots that name them find them in the cache, on screens that are off by night, too.
 */
export function downloadDeferred(parts: DeferredMediaParts): void {
  const { clock, line, signal } = parts;
  let underWay = false;
  let againAt = clock.now();
  let callOff = () => {};
  const look = () => {
    const now = clock.now();
    callOff = clock.alarm(now + LOOK_EVERY_MS, look);
    if (underWay || now < againAt || line.refusal(LARGE_BYTES + 1, 0) !== null) return;
    underWay = true;
    againAt = now + AGAIN_MS;
    void downloadAll(parts).finally(() => {
      underWay = false;
    });
  };
  signal.addEventListener("abort", () => callOff(), { once: true });
  look();
}

async function downloadAll(parts: DeferredMediaParts): Promise<void> {
  const { book, clock, log } = parts;
  try {
    for (const request of book.list(clock.wall() - NAMED_WITHIN_MS)) if (!(await downloadOne(request, parts))) return;
  } catch (error) {
    // What is wrong with the index or the disk shows where somebody waits for it.
    log.warn({ reason: String(error) }, "large media are left for later");
  }
}

/** Whether to go on with the next one. */
async function downloadOne(request: MediaRequest, { book, cache, log, signal }: DeferredMediaParts): Promise<boolean> {
  const outcome = await cache.obtain(request, signal);
  if (outcome.kind === "kept") {
    const { digest, sizeBytes } = outcome.media;
    cache.release(digest);
    log.info({ host: new URL(request.url).host, sizeBytes }, "large media brought in their hours");
  }
  if (outcome.kind === "kept" || !outcome.transient) book.forget(request);
  return outcome.kind === "kept" || !(outcome.deferred || signal.aborted);
}

/**
 * Remembers, across restarts, large media that wait for their hours. It is kept beside the media index. What a full disk
 * does not take is noted again with the next spot that names it.
 */
export class DeferredBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  /** Media requested since `since`, wall time, the latest first. */
  list(since: Instant): readonly MediaRequest[] {
    return this.#file.use((db) => db.prepare<[number], MediaRequest>(LIST).all(Math.trunc(since)));
  }

  /** Notes that it was requested at `at`, wall time. */
  note({ url, mimeType, sizeBytes, md5 }: MediaRequest, at: Instant): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(NOTE).run(url, mimeType, sizeBytes, md5, Math.trunc(at));
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  forget({ url }: MediaRequest): void {
    this.#file.writeIfTaken((db) => db.prepare("delete from deferred where url = ?").run(url));
  }
}

/** More large media than a screen is given in a day. */
const MOST_ENTRIES = 100;

const LIST = `
  select url, mime_type as mimeType, size_bytes as sizeBytes, md5 from deferred where wanted_at >= ?
  order by wanted_at desc`;

const NOTE = `
  insert into deferred (url, mime_type, size_bytes, md5, wanted_at) values (?, ?, ?, ?, ?)
  on conflict do update set mime_type = excluded.mime_type, size_bytes = excluded.size_bytes, md5 = excluded.md5,
    wanted_at = excluded.wanted_at`;

const PRUNE = "delete from deferred where url in (select url from deferred order by wanted_at desc limit -1 offset ?)";
