import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { underControl } from "../../client/http.ts";
import { type CacheLimits, type CacheSize, freshUntil, isFresh } from "../../core/media/cache-policy.ts";
import type { Clock } from "../clock.ts";
import { FREE_LINE, type LineRefusal, type MediaLine } from "../network/media-line.ts";
import { codeOf } from "../stores/database.ts";
import { CacheQuota } from "./cache-quota.ts";
import { isPortalsVersion, refusingPortals } from "./captive-portal.ts";
import { type CreativeBlocklist, largerThan } from "./creative-blocklist.ts";
import type { Downloaded, DownloadFailure, GetFollowed, KnownVersion, MediaRequest, Progress } from "./download.ts";
import { Downloader, Flights } from "./downloader.ts";
import { type IndexedMedia, type Kept, type MediaOutcome, type Miss, pageHeaders } from "./media.ts";
import type { MediaIndex } from "./media-index.ts";
import { isPlain } from "./page-request.ts";

/** What a cache is made of. */
export interface CacheParts {
  /** See `mediaFolderIn`; files in it are named by the SHA-256 of their bytes. */
  readonly folder: string;
  readonly index: MediaIndex;
  readonly blocklist: CreativeBlocklist;
  readonly clock: Clock;
  readonly limits: CacheLimits & { readonly maxItemBytes: number };
  readonly fetch: GetFollowed;
  /** What media come over; by default a line that costs nothing. */
  readonly line?: MediaLine;
  /** The wait before the second try of a download, in milliseconds; half a second by default. */
  readonly retryMs?: number;
  readonly onDownloaded?: (sizeBytes: number) => void;
  /** Hears of media that wait for the hours of large ones. */
  readonly onDeferred?: (request: MediaRequest) => void;
}

/** As long as a download may take whose item has had its turn. */
const LONGEST_RENEWAL_MS = 10 * 60_000;

/** Where a player keeps media; the version is that of how they are kept. */
export function mediaFolderIn(dataDir: string): string {
  return join(dataDir, "media", "v1");
}

/**
 * Media by content address. What it hands out was read back whole and matched its digest just before; what is broken
 * or missing is fetched again. Files in use are held and never evicted.
 */
export class MediaCache {
  readonly #parts: CacheParts;
  readonly #downloader: Downloader;
  readonly #flights: Flights;
  /** Those under way, by their keys. */
  readonly #revalidations = new Map<string, Promise<void>>();
  readonly #quota: CacheQuota;

  private constructor(parts: CacheParts) {
    this.#parts = parts;
    const { folder, index, limits, retryMs, line = FREE_LINE } = parts;
    const fetch = refusingPortals(parts.fetch, line);
    const discardPartials = () => this.#downloader.discardPartials();
    const quota = new CacheQuota({ folder, index, limits, discardPartials });
    const holds = {
      hold: (digest: string) => quota.hold(digest),
      release: (digest: string) => quota.release(digest),
    };
    const makeRoom = (sizeBytes: number) => quota.makeRoom(sizeBytes);
    const { maxItemBytes: maxBytes } = limits;
    this.#downloader = new Downloader({ folder, fetch, line, retryMs, maxBytes, makeRoom, ...holds });
    this.#flights = new Flights(holds);
    this.#quota = quota;
  }

  /** Opens the cache and sweeps it: partial files, files nobody knows and entries without their file go. */
  static async open(parts: CacheParts): Promise<MediaCache> {
    const cache = new MediaCache(parts);
    parts.blocklist.keepLimit(parts.limits.maxItemBytes);
    await cache.#quota.sweep();
    return cache;
  }

  /**
   * Downloads media, or finds it on the disk. Requests for the same URL share one download, which goes on while one of them
   * waits: an aborted signal ends only the wait of its own request. The media is held until `release` is called with its
   * digest, once for each "kept".
   */
  async obtain(
    request: MediaRequest,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<MediaOutcome> {
    const key = keyOf(request);
    return this.#flights.join(key, { signal, onProgress }, (raised, hear) =>
      this.#findOrDownload(key, request, raised, hear),
    );
  }

  /** Whether it is in the cache, as far as the index tells. */
  knows(request: Pick<MediaRequest, "url" | "md5">): boolean {
    return this.#parts.index.find(keyOf(request)) !== null;
  }

  /**
   * Brings up to date what the cache has of a URL, if it may have changed since. Where that cannot be found out, or the
   * new bytes are of no use or not there within `LONGEST_RENEWAL_MS`, what is there stays. While one is under way for a URL it
   * is all that others wait for.
   */
  async revalidate(request: MediaRequest, signal: AbortSignal): Promise<void> {
    const key = keyOf(request);
    const underWay = this.#revalidations.get(key);
    if (underWay !== undefined) return underWay;
    const revalidation = this.#revalidate(key, request, signal).finally(() => this.#revalidations.delete(key));
    this.#revalidations.set(key, revalidation);
    await revalidation;
  }

  /** Resolves when nothing is under way any more: soon after the signals that it all was given are raised. */
  async quiet(): Promise<void> {
    await Promise.allSettled([this.#flights.quiet(), ...this.#revalidations.values()]);
  }

  async #revalidate(key: string, request: MediaRequest, signal: AbortSignal): Promise<void> {
    const { index, clock } = this.#parts;
    const indexed = index.find(key);
    if (indexed === null || isFresh(indexed.freshUntil, clock.wall()) || this.#flights.has(key)) return;
    const renew = (cacheControl: string | null) =>
      this.#quota.note(() => index.renew(key, freshUntil(cacheControl, clock.wall())));
    // Whatever comes of it, it is not asked after again at once.
    renew(null);
    const result = await this.#renew(request, indexed, signal);
    if (result.kind === "unchanged") renew(result.headers.get("cache-control"));
    if (result.kind !== "downloaded") return;
    if (isPortalsVersion(request, indexed, result)) return this.#quota.discard(result.digest);
    this.release((await this.#take(key, request, result)).media.digest);
  }

  /** A server that sends drop by drop would keep its connection for ever. */
  async #renew(request: MediaRequest, known: KnownVersion, signal: AbortSignal): ReturnType<Downloader["renew"]> {
    const { clock } = this.#parts;
    return underControl(signal, (control) => {
      const stopAlarm = clock.alarm(clock.now() + LONGEST_RENEWAL_MS, () => control.abort());
      return this.#downloader.renew(keyOf(request), request, known, control.signal).finally(stopAlarm);
    });
  }

  release(digest: string): void {
    this.#quota.release(digest);
  }

  size(): CacheSize {
    return this.#parts.index.size();
  }

  /**
   * Evicts what was used longest ago until `sizeBytes` are free, at once: for a proof that a full disk would not take. Says
   * whether anything was evicted; files that are held stay.
   */
  evictNow(sizeBytes: number): boolean {
    return this.#quota.evictNow(sizeBytes);
  }

  /** A file that is "kept" is held once. */
  async #findOrDownload(
    key: string,
    request: MediaRequest,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<MediaOutcome> {
    const { clock, blocklist, limits } = this.#parts;
    const blocked = blocklist.blockReason(key, clock.wall());
    if (blocked !== null) return failed(blocked);
    const found = await this.#find(key);
    if (found !== null) return found;
    const { maxItemBytes } = limits;
    if ((request.sizeBytes ?? 0) > maxItemBytes) return failed(largerThan(maxItemBytes));
    // Nothing is evicted for a download that may not begin.
    const refusal = this.#downloader.refusal(key, request);
    if (refusal !== null) return this.#defer(request, refusal);
    await this.#quota.make(request.sizeBytes ?? 0);
    const result = await this.#downloader.download(key, request, signal, onProgress);
    if (result.kind === "downloaded") return this.#take(key, request, result);
    if (result.kind === "deferred") return this.#defer(request, result.refusal);
    if (result.kind === "broken") blocklist.strike(key, result.fault, result.reason, clock.wall());
    return failed(describe(result), {
      transient: result.kind === "unreachable",
      ...(result.kind === "refused" ? { status: result.status, response: result.response } : { status: null }),
    });
  }

  /** At another hour, or in another month, it may be had. */
  #defer(request: MediaRequest, { decision, reason }: LineRefusal): MediaOutcome {
    if (decision !== "outside-hours") this.#parts.line?.noteRefused();
    // Without what its page sends, its URL stands for something else.
    else if (isPlain(request.asked)) this.#parts.onDeferred?.(request);
    return { kind: "failed", reason, transient: true, status: null, deferred: true };
  }

  /**
   * What is in the cache and whole; what it finds, it holds. Broken bytes are removed. A file that cannot be read just
   * now may be whole: it stays, and is replaced if it can be downloaded again.
   */
  async #find(key: string): Promise<Kept | null> {
    const { index, clock } = this.#parts;
    const indexed = index.find(key);
    if (indexed === null) return null;
    this.#quota.hold(indexed.digest);
    const condition = await this.#examine(indexed);
    if (condition === "whole") {
      this.#quota.note(() => index.touch(indexed.digest, clock.wall()));
      return this.#kept(indexed, true);
    }
    this.release(indexed.digest);
    if (condition === "broken") {
      this.#quota.note(() => index.forget([indexed.digest]));
      await rm(this.#quota.pathOf(indexed.digest), { force: true });
    }
    return null;
  }

  /** Takes what was downloaded, and is held for that, into the index. */
  async #take(key: string, { url, asked }: MediaRequest, downloaded: Downloaded): Promise<Kept> {
    const { index, clock } = this.#parts;
    const { digest, sizeBytes, headers, finalUrl } = downloaded;
    const media: IndexedMedia = {
      digest,
      sizeBytes,
      contentType: headers.get("content-type") ?? "",
      etag: headers.get("etag"),
      lastModified: headers.get("last-modified"),
      freshUntil: freshUntil(headers.get("cache-control"), clock.wall()),
      headers: pageHeaders(headers),
      // What a page was answered for what it sent is not what is there for everybody.
      finalUrl: finalUrl === url || !isPlain(asked) ? null : finalUrl,
    };
    this.#quota.record(digest, () => index.record(key, media, clock.wall()));
    this.#parts.onDownloaded?.(sizeBytes);
    // It is there whole, whatever becomes of others.
    await this.#quota.evictSurplus();
    return this.#kept(media, false);
  }

  #kept({ digest, sizeBytes, contentType, headers, finalUrl }: IndexedMedia, found: boolean): Kept {
    const media = { digest, sizeBytes, contentType, path: this.#quota.pathOf(digest) };
    return { kind: "kept", media, found, headers, finalUrl };
  }

  async #examine({ digest }: IndexedMedia): Promise<"whole" | "broken" | "unreadable"> {
    const sha256 = createHash("sha256");
    try {
      for await (const chunk of createReadStream(this.#quota.pathOf(digest))) sha256.update(chunk);
    } catch (error) {
      return codeOf(error) === "ENOENT" ? "broken" : "unreadable";
    }
    return sha256.digest("hex") === digest ? "whole" : "broken";
  }
}

/** The whole URL is the key, query and all, unless the service names the bytes themselves (F15). */
export function keyOf({ url, md5 }: Pick<MediaRequest, "url" | "md5">): string {
  return md5 === null ? url : `md5:${md5}`;
}

/** A failure; by default one that lasts. */
function failed(reason: string, how: Omit<Miss, "reason"> = { transient: false, status: null }): MediaOutcome {
  return { kind: "failed", reason, ...how };
}

function describe(failure: Exclude<DownloadFailure, { kind: "deferred" }>): string {
  return failure.kind === "refused" ? `status ${failure.status}` : failure.reason;
}
