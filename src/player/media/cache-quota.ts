import { readdirSync, rmSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type CacheLimits, evictions, missingBytes } from "../../core/media/cache-policy.ts";
import { codeOf, isTaken } from "../stores/database.ts";
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

/** The space that media may take on the disk: files in use are held; those used longest ago are evicted for new ones. */
export class CacheQuota {
  readonly #parts: CacheQuotaParts;
  /** How many use each file, by its digest. */
  readonly #holds = new Map<string, number>();
  /** What records files that are held and could not be recorded yet, by their digests. */
  readonly #unrecorded = new Map<string, () => void>();

  constructor(parts: CacheQuotaParts) {
    this.#parts = parts;
    parts.index.onEmptied(() => this.#removeUnheld());
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

  isHeld(digest: string): boolean {
    return this.#holds.has(digest);
  }

  pathOf(digest: string): string {
    return join(this.#parts.folder, digest);
  }

  /** Evicts until `incomingBytes` more fit within the limits, or nothing is left that is not held. */
  async make(incomingBytes: number): Promise<void> {
    const { folder, index, limits, discardPartials } = this.#parts;
    // Somebody who needed room may have removed it.
    await mkdir(folder, { recursive: true });
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < incomingBytes + limits.minFreeBytes) await discardPartials();
    const chosen = this.#choose(missingBytes(index.size().bytes, bavail * bsize, incomingBytes, limits));
    if (chosen.length === 0) return;
    const noted = this.note(() => index.forget(chosen));
    // Synchronously: a request meanwhile would hold a file that is gone.
    for (const digest of chosen) rmSync(this.pathOf(digest), { force: true });
    // On a full disk the index can be written only now.
    if (!noted) this.note(() => index.forget(chosen));
  }

  /** Evicts at once, on a full disk, until `sizeBytes` are freed, and so many files. Says whether anything was evicted. */
  evictNow(sizeBytes: number, files = 0): boolean {
    const chosen = this.#choose(sizeBytes, files);
    for (const digest of chosen) rmSync(this.pathOf(digest), { force: true });
    if (chosen.length > 0) this.note(() => this.#parts.index.forget(chosen));
    return chosen.length > 0;
  }

  /** Evicts at once for a file of so many bytes that the disk did not take, though it may say that it has room. */
  makeRoom(sizeBytes: number): void {
    this.evictNow(Math.max(sizeBytes, LEAST_EVICTED.bytes), LEAST_EVICTED.files);
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
    if (this.note(write)) return;
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

  #choose(bytes: number, files = 0): readonly string[] {
    const held = new Set(this.#holds.keys());
    return this.#parts.index.byUse((oldestFirst) => evictions(oldestFirst, held, bytes, files));
  }

  /** Files that no entry leads to any more. */
  #removeUnheld(): void {
    for (const name of readdirSync(this.#parts.folder)) {
      if (!name.endsWith(PART_SUFFIX) && !this.isHeld(name)) rmSync(this.pathOf(name), { force: true });
    }
  }
}
