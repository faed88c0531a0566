import type { Logger } from "pino";
import { LARGE_BYTES } from "../../core/data-budget.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Wanted } from "../media/download.ts";
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

/** How often it is looked whether the hours for large media have begun. */
const LOOK_EVERY_MS = 15 * 60_000;
/** What nobody has wanted for this long is likely to be of a campaign that is over. */
const WANTED_WITHIN_MS = 2 * 24 * 3_600_000;

/**
 * Brings the large media that spots named by day once their hours have come, one after the other, the last wanted first,
 * until the signal is raised: the spots that name them next find them in the cache, on screens that are off by night, too.
 */
export function bringDeferred(parts: DeferredMediaParts): void {
  const { clock, line, signal } = parts;
  let underWay = false;
  let callOff = () => {};
  const look = () => {
    callOff = clock.alarm(clock.now() + LOOK_EVERY_MS, look);
    if (underWay || line.refusal(LARGE_BYTES + 1, 0) !== null) return;
    underWay = true;
    void bringAll(parts).finally(() => {
      underWay = false;
    });
  };
  signal.addEventListener("abort", () => callOff(), { once: true });
  look();
}

async function bringAll(parts: DeferredMediaParts): Promise<void> {
  const { book, clock, log } = parts;
  try {
    for (const wanted of book.list(clock.wall() - WANTED_WITHIN_MS)) if (!(await bring(wanted, parts))) return;
  } catch (error) {
    // What is wrong with the index or the disk shows where somebody waits for it.
    log.warn({ reason: String(error) }, "large media are left for later");
  }
}

/** Whether to go on with the next one. */
async function bring(wanted: Wanted, { book, cache, log, signal }: DeferredMediaParts): Promise<boolean> {
  const outcome = await cache.obtain(wanted, signal);
  if (outcome.kind === "kept") {
    const { digest, sizeBytes } = outcome.media;
    cache.release(digest);
    log.info({ host: new URL(wanted.url).host, sizeBytes }, "large media brought in their hours");
  }
  if (outcome.kind === "kept" || !outcome.passing) book.forget(wanted);
  return outcome.kind === "kept" || !(outcome.deferred || signal.aborted);
}

/**
 * Remembers, across restarts, large media that wait for their hours. It is kept beside the media index. What a full disk
 * does not take is wanted again with the next spot that names it.
 */
export class DeferredBook {
  readonly #file: IndexFile;

  constructor(file: IndexFile) {
    this.#file = file;
  }

  /** Those that were wanted since `since`, wall time, the last one first. */
  list(since: Instant): readonly Wanted[] {
    return this.#file.use((db) => db.prepare<[number], Wanted>(LIST).all(Math.trunc(since)));
  }

  /** It was wanted at `at`, wall time. */
  note({ url, mimeType, sizeBytes, md5 }: Wanted, at: Instant): void {
    this.#file.writeIfTaken((db) => {
      db.prepare(NOTE).run(url, mimeType, sizeBytes, md5, Math.trunc(at));
      db.prepare(PRUNE).run(MOST_ENTRIES);
    });
  }

  forget({ url }: Wanted): void {
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
