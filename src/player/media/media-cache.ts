import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Get } from "../../client/reply.ts";
import type { CacheLimits } from "../../core/eviction.ts";
import { freshUntil } from "../../core/freshness.ts";
import type { Clock } from "../clock.ts";
import { codeOf } from "../database.ts";
import type { Downloaded, DownloadFailure, Wanted } from "./download.ts";
import { Downloader } from "./downloader.ts";
import type { IndexedMedia, MediaIndex } from "./media-index.ts";
import { MediaRoom } from "./media-room.ts";
import { PART_SUFFIX } from "./partial.ts";
import type { StrikeBook } from "./strike-book.ts";

/** Media on the disk, whole. */
export interface Media {
  readonly digest: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** The Content-Type it came with, or empty. */
  readonly contentType: string;
}

/** What becomes of asking for media. */
export type MediaOutcome =
  | { readonly kind: "kept"; readonly media: Media }
  /** `passing`: another try may succeed, as when the network is gone. */
  | { readonly kind: "failed"; readonly reason: string; readonly passing: boolean };

/** What a cache is made of. */
export interface CacheParts {
  /** `dataDir/media/v1`; files in it are named by the SHA-256 of their bytes. */
  readonly folder: string;
  readonly index: MediaIndex;
  readonly strikes: StrikeBook;
  readonly clock: Clock;
  readonly limits: CacheLimits & { readonly maxItemBytes: number };
  readonly fetch: Get;
  /** The wait before the second try of a download, in milliseconds; half a second unless told otherwise. */
  readonly retryMs?: number;
  readonly onDownloaded?: (sizeBytes: number) => void;
}

/**
 * Media by content address. What it hands out was read back whole and matched its digest just before; what is broken
 * or missing is fetched again. Files in use are held and never evicted.
 */
export class MediaCache {
  readonly #parts: CacheParts;
  readonly #downloader: Downloader;
  readonly #flights = new Map<string, Flight>();
  readonly #revalidations = new Set<Promise<void>>();
  readonly #room: MediaRoom;

  private constructor(parts: CacheParts) {
    this.#parts = parts;
    const { folder, index, fetch, limits, retryMs } = parts;
    this.#downloader = new Downloader({ folder, fetch, retryMs, maxBytes: limits.maxItemBytes });
    const discardPartials = () => this.#downloader.discardPartials();
    this.#room = new MediaRoom({ folder, index, limits, discardPartials });
  }

  /** Opens the cache and sweeps it: partial files, files nobody knows and entries without their file go. */
  static async open(parts: CacheParts): Promise<MediaCache> {
    await mkdir(parts.folder, { recursive: true });
    const known = new Map(parts.index.files().map((file) => [file.digest, file.sizeBytes]));
    for (const name of await readdir(parts.folder)) {
      if (name.endsWith(PART_SUFFIX) || !known.has(name)) await rm(join(parts.folder, name), { recursive: true });
    }
    for (const [digest, sizeBytes] of known) {
      const found = await stat(join(parts.folder, digest)).catch(() => null);
      if (found?.size !== sizeBytes) parts.index.forget(digest);
    }
    return new MediaCache(parts);
  }

  /**
   * Brings media onto the disk, or finds it there. However many ask for one URL, it is downloaded once. The media is
   * held until `release` is called with its digest, once for each "kept".
   */
  async obtain(wanted: Wanted, signal: AbortSignal): Promise<MediaOutcome> {
    const key = keyOf(wanted);
    const flight = this.#flights.get(key) ?? this.#begin(key, wanted, signal);
    flight.waiting++;
    return flight.outcome;
  }

  /**
   * Brings up to date what the cache has of a URL, if it may have changed since. Where that cannot be found out, or the
   * new bytes are of no use, what is there stays.
   */
  async revalidate(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const revalidation = this.#revalidate(wanted, signal).finally(() => this.#revalidations.delete(revalidation));
    this.#revalidations.add(revalidation);
    await revalidation;
  }

  /** Resolves when nothing is under way any more: soon after the signals that it all was given are raised. */
  async quiet(): Promise<void> {
    await Promise.allSettled([...[...this.#flights.values()].map(({ outcome }) => outcome), ...this.#revalidations]);
  }

  async #revalidate(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const { index, clock } = this.#parts;
    const key = keyOf(wanted);
    const indexed = index.find(key);
    if (indexed === null || indexed.freshUntil > clock.wall() || this.#flights.has(key)) return;
    // Whatever comes of it, it is not asked after again at once.
    index.renew(key, freshUntil(null, clock.wall()));
    const result = await this.#downloader.renew(wanted, indexed, signal);
    if (result.kind === "unchanged") index.renew(key, freshUntil(result.headers.get("cache-control"), clock.wall()));
    if (result.kind !== "downloaded") return;
    await this.#take(key, result);
    this.release(result.digest);
  }

  release(digest: string): void {
    this.#room.release(digest);
  }

  /** What is in the cache, in files and bytes. */
  size(): { files: number; bytes: number } {
    const files = this.#parts.index.files();
    return { files: files.length, bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0) };
  }

  /**
   * Gives up what was used longest ago until so many bytes are free, at once: for a disk that is full when a proof is to
   * be written. Whether there was anything to give up; what is held stays.
   */
  sacrifice(sizeBytes: number): boolean {
    return this.#room.sacrifice(sizeBytes);
  }

  #begin(key: string, wanted: Wanted, signal: AbortSignal): Flight {
    const land = (outcome: MediaOutcome): MediaOutcome => {
      this.#flights.delete(key);
      // The flight holds its file once already; the others who waited hold it too.
      for (let others = flight.waiting - 1; others > 0 && outcome.kind === "kept"; others--) {
        this.#room.hold(outcome.media.digest);
      }
      return outcome;
    };
    const outcome = this.#findOrDownload(key, wanted, signal).then(land, (error: unknown) => {
      this.#flights.delete(key);
      throw error;
    });
    const flight: Flight = { waiting: 0, outcome };
    this.#flights.set(key, flight);
    return flight;
  }

  /** What it keeps, it holds. */
  async #findOrDownload(key: string, wanted: Wanted, signal: AbortSignal): Promise<MediaOutcome> {
    const { index, clock, strikes, limits } = this.#parts;
    const quarantine = strikes.quarantine(key, clock.wall());
    if (quarantine !== null) return { kind: "failed", reason: quarantine, passing: false };
    const indexed = index.find(key);
    if (indexed !== null) {
      this.#room.hold(indexed.digest);
      if (await this.#verify(indexed)) {
        this.#room.note(() => index.touch(indexed.digest, clock.wall()));
        return this.#kept(indexed);
      }
      this.release(indexed.digest);
      this.#room.note(() => index.forget(indexed.digest));
      await rm(this.#room.pathOf(indexed.digest), { force: true });
    }
    const { maxItemBytes } = limits;
    if ((wanted.sizeBytes ?? 0) > maxItemBytes) {
      return { kind: "failed", reason: `more than ${maxItemBytes} bytes`, passing: false };
    }
    await this.#room.make(wanted.sizeBytes ?? 0);
    const result = await this.#downloader.bring(key, wanted, signal);
    if (result.kind === "downloaded") return this.#take(key, result);
    if (result.kind === "broken") strikes.strike(key, result.fault, result.reason, clock.wall());
    return { kind: "failed", reason: describe(result), passing: result.kind === "unreachable" };
  }

  /** What it keeps, it holds. */
  async #take(key: string, { digest, sizeBytes, headers }: Downloaded): Promise<MediaOutcome> {
    const { index, clock } = this.#parts;
    const media: IndexedMedia = {
      digest,
      sizeBytes,
      contentType: headers.get("content-type") ?? "",
      etag: headers.get("etag"),
      lastModified: headers.get("last-modified"),
      freshUntil: freshUntil(headers.get("cache-control"), clock.wall()),
    };
    try {
      this.#room.withRelief(() => index.record(key, media, clock.wall()));
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      // Of a file that is not in the index nobody would know that it takes up space.
      const known = this.#room.isHeld(digest) || index.files().some((file) => file.digest === digest);
      if (!known) await rm(this.#room.pathOf(digest), { force: true });
      return { kind: "failed", reason: code, passing: true };
    }
    this.#parts.onDownloaded?.(sizeBytes);
    this.#room.hold(digest);
    await this.#room.make(0);
    return this.#kept(media);
  }

  #kept({ digest, sizeBytes, contentType }: IndexedMedia): MediaOutcome {
    return { kind: "kept", media: { digest, sizeBytes, contentType, path: this.#room.pathOf(digest) } };
  }

  async #verify(indexed: IndexedMedia): Promise<boolean> {
    const sha256 = createHash("sha256");
    try {
      for await (const chunk of createReadStream(this.#room.pathOf(indexed.digest))) sha256.update(chunk);
    } catch {
      return false;
    }
    return sha256.digest("hex") === indexed.digest;
  }
}

/** A download, or a look into the cache, that several may be waiting for. */
interface Flight {
  waiting: number;
  readonly outcome: Promise<MediaOutcome>;
}

/** The whole URL is the key, query and all, unless the service names the bytes themselves (F15). */
export function keyOf({ url, md5 }: Pick<Wanted, "url" | "md5">): string {
  return md5 === null ? url : `md5:${md5}`;
}

function describe(failure: DownloadFailure): string {
  return failure.kind === "refused" ? `status ${failure.status}` : failure.reason;
}
