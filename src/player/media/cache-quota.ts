import { readdirSync, rmSync } from "node:fs";
import { access, constants, mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import {
  bytesOnDisk,
  type CachedFile,
  type CacheLimits,
  evictions,
  missingBytes,
  surplusFiles,
} from "../../core/media/cache-policy.ts";
import { codeOf, isTaken, remedyFor, StoreUnusable } from "../stores/database.ts";
import type { MediaIndex } from "./media-index.ts";
import { PART_SUFFIX } from "./partial-download.ts";

export interface CacheQuotaParts {
  /** Files in it are named by the SHA-256 of their bytes. */
  readonly folder: string;
  readonly index: MediaIndex;
  readonly limits: CacheLimits;
  /** Removes partial downloads that are not under way. */
  readonly discardPartials: () => Promise<void>;
}

/** How many bytes are evicted for a row of the index that does not fit on the disk. */
const EVICTED_WHEN_FULL_BYTES = 1024 * 1024;

/** What is evicted at least where a disk took no file: it may be short of bytes, of files, or of either for this user alone. */
const LEAST_EVICTED = { bytes: 4 * 1024 * 1024, files: 32 };

/** So many files are evicted at a time: a busy disk takes milliseconds for each, and the loop, and with it the screen, waits. */
const EVICTED_AT_A_TIME = 10;

/**
 * So many files are looked at, at a time, when the cache is opened. One after the other, they would keep a screen without
 * spots for as long as a slow disk answers twenty thousand questions; four threads ask.
 */
const LOOKS_AT_A_TIME = 16;

/** The space that media may take on the disk: files in use are held; those used longest ago are evicted for new ones. */
export class CacheQuota {
  readonly #parts: CacheQuotaParts;
  /** How many use each file, by its digest. */
  readonly #holds = new Map<string, number>();
  /** What records files that are held and could not be recorded yet, by their digests. */
  readonly #unrecorded = new Map<string, () => void>();
  /** Nothing is evicted for what another eviction that is under way makes room for. */
  readonly #oneAtATime = pLimit(1);

  constructor(parts: CacheQuotaParts) {
    this.#parts = parts;
    parts.index.onEmptied(() => this.#removeUnheld());
  }

  /**
   * Has the folder and the index agree: partial files, files nobody knows and entries without their file go. Throws
   * `StoreUnusable` where the folder cannot be had or written.
   */
  async sweep(): Promise<void> {
    const { folder, index } = this.#parts;
    const names = await namesIn(folder);
    const known = new Map(index.files().map((file) => [file.digest, file.sizeBytes]));
    await eachOf(names, async (name) => {
      const isKnown = known.has(name) && !name.endsWith(PART_SUFFIX);
      // What another user made there, or a worn disk does not let go of, costs its own room and nothing else.
      if (!isKnown) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
    });
    const gone: string[] = [];
    await eachOf(known, async ([digest, sizeBytes]) => {
      const found = await stat(this.pathOf(digest)).catch(() => null);
      if (found?.size !== sizeBytes) gone.push(digest);
    });
    this.note(() => index.forget(gone));
  }

  hold(digest: string): void {
    this.#holds.set(digest, (this.#holds.get(digest) ?? 0) + 1);
  }

  release(digest: string): void {
    const holds = (this.#holds.get(digest) ?? 0) - 1;
    if (holds > 0) return void this.#holds.set(digest, holds);
    this.#holds.delete(digest);
    this.#recordLate(digest);
  }

  /** Releases a file that is not to be recorded, and removes it unless others know of it. */
  discard(digest: string): void {
    this.release(digest);
    if (!this.isHeld(digest)) this.#removeUnknown(digest);
  }

  isHeld(digest: string): boolean {
    return this.#holds.has(digest);
  }

  pathOf(digest: string): string {
    return join(this.#parts.folder, digest);
  }

  /**
   * Evicts until a file of `incomingBytes` fits within the limits, or nothing is left that is not held. Of more files than
   * there may be only some go at a time: an older player may have left very many.
   */
  make(incomingBytes: number): Promise<void> {
    return this.#oneAtATime(() => this.#make(incomingBytes));
  }

  /** Evicts what is beyond the limits; what cannot be evicted now is at the next download. */
  async evictSurplus(): Promise<void> {
    await uncoded(this.make(0));
  }

  async #make(incomingBytes: number): Promise<void> {
    const { folder, index, limits, discardPartials } = this.#parts;
    // Somebody who needed room may have removed it.
    await mkdir(folder, { recursive: true });
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < incomingBytes + limits.minFreeBytes) await discardPartials();
    const { files, bytes } = index.size();
    const missing = missingBytes(bytes, bavail * bsize, incomingBytes, limits);
    await this.#evictInSteps(missing, Math.min(surplusFiles(files, limits), EVICTED_AT_A_TIME));
  }

  /** Until so many bytes are freed, and so many files. */
  async #evictInSteps(bytes: number, files: number): Promise<void> {
    let [missing, surplus] = [bytes, files];
    while (missing > 0 || surplus > 0) {
      const chosen = this.#choose(missing, surplus, EVICTED_AT_A_TIME);
      if (chosen.length === 0) return;
      // Another try would wait as long for the index, and hold up the loop.
      if (!this.#evict(chosen)) return;
      for (const { sizeBytes } of chosen) missing -= bytesOnDisk(sizeBytes);
      surplus -= chosen.length;
      await setImmediate();
    }
  }

  /** Whether the index has taken it. */
  #evict(chosen: readonly CachedFile[]): boolean {
    const noted = this.note(() => this.#forget(chosen));
    for (const { digest } of chosen) this.#remove(digest);
    // On a full disk the index can be written only now.
    return noted || this.note(() => this.#forget(chosen));
  }

  /**
   * Synchronously: a request meanwhile would hold a file that is gone. What a read-only or worn disk does not let go of must
   * not keep away what is there, or may still be had.
   */
  #remove(digest: string): void {
    isTaken(() => rmSync(this.pathOf(digest), { force: true }));
  }

  #forget(files: readonly CachedFile[]): void {
    this.#parts.index.forget(files.map(({ digest }) => digest));
  }

  /**
   * Evicts at once, on a full disk, until `sizeBytes` are freed. Says whether anything was evicted: nothing is where the
   * index cannot be read.
   */
  evictNow(sizeBytes: number): boolean {
    let chosen: readonly CachedFile[] = [];
    isTaken(() => {
      chosen = this.#choose(sizeBytes);
    });
    for (const { digest } of chosen) this.#remove(digest);
    if (chosen.length > 0) this.note(() => this.#forget(chosen));
    return chosen.length > 0;
  }

  /** Evicts for a file of so many bytes that the disk did not take, though it may say that it has room. */
  makeRoom(sizeBytes: number): Promise<void> {
    const bytes = Math.max(sizeBytes, LEAST_EVICTED.bytes);
    return uncoded(this.#oneAtATime(() => this.#evictInSteps(bytes, LEAST_EVICTED.files)));
  }

  /**
   * Records a file that is held, by what writes it into the index: now, or else when it is released. A file that came whole
   * is shown, whatever the index takes.
   */
  record(digest: string, write: () => void): void {
    if (this.note(() => this.#evictingWhenFull(write))) this.#unrecorded.delete(digest);
    else this.#unrecorded.set(digest, write);
  }

  /**
   * Notes in the index what is found out anew, if need be, when a file is wanted or at the next start. A disk that takes
   * nothing must not keep from the screen what is on it whole. Whether it was noted.
   */
  note(act: () => void): boolean {
    return isTaken(act);
  }

  /** Of a file that is not in the index nobody would know that it takes up space. */
  #recordLate(digest: string): void {
    const write = this.#unrecorded.get(digest);
    if (write === undefined) return;
    this.#unrecorded.delete(digest);
    if (!this.note(write)) this.#removeUnknown(digest);
  }

  #removeUnknown(digest: string): void {
    this.note(() => this.#parts.index.has(digest) || rmSync(this.pathOf(digest), { force: true }));
  }

  #evictingWhenFull(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (codeOf(error) !== "SQLITE_FULL" || !this.evictNow(EVICTED_WHEN_FULL_BYTES)) throw error;
      write();
    }
  }

  #choose(bytes: number, files = 0, most?: number): readonly CachedFile[] {
    const held = new Set(this.#holds.keys());
    return this.#parts.index.byUse((oldestFirst) => evictions(oldestFirst, held, bytes, files, most));
  }

  /** Files that no entry leads to any more. With the disk of the index their folder may have gone, too. */
  #removeUnheld(): void {
    isTaken(() => {
      for (const name of readdirSync(this.#parts.folder)) {
        if (!name.endsWith(PART_SUFFIX) && !this.isHeld(name)) this.#remove(name);
      }
    });
  }
}

/** Rejects with what is no error of SQLite's or the system's: nothing ends because they do not let anything go now. */
async function uncoded(evicting: Promise<void>): Promise<void> {
  await evicting.catch((error: unknown) => {
    if (codeOf(error) === null) throw error;
  });
}

/** What is in the folder, which is made where it is missing. Throws `StoreUnusable` where no file could be put there. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return await readdir(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    throw new StoreUnusable(`${folder} cannot be used (${code}): ${remedyFor(code)}`);
  }
}

/** Acts on all, on several at a time. A promise for each, made at once, would take up memory. */
export async function eachOf<T>(all: Iterable<T>, act: (one: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]();
  const work = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: LOOKS_AT_A_TIME }, work));
}
