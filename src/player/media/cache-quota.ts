import { readdirSync, rmSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type CacheLimits, evictions } from "../../core/media/cache-policy.ts";
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

/** The space that media may take on the disk: files in use are held; those used longest ago are evicted for new ones. */
export class CacheQuota {
  readonly #parts: CacheQuotaParts;
  /** How many use each file, by its digest. */
  readonly #holds = new Map<string, number>();

  constructor(parts: CacheQuotaParts) {
    this.#parts = parts;
    parts.index.onEmptied(() => this.#removeUnheld());
  }

  hold(digest: string): void {
    this.#holds.set(digest, (this.#holds.get(digest) ?? 0) + 1);
  }

  release(digest: string): void {
    const holds = (this.#holds.get(digest) ?? 0) - 1;
    if (holds > 0) this.#holds.set(digest, holds);
    else this.#holds.delete(digest);
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
    for (const digest of evictions(index.files(), this.#held(), bavail * bsize, incomingBytes, limits)) {
      const noted = this.note(() => index.forget(digest));
      // Synchronously: a request meanwhile would hold a file that is gone.
      rmSync(this.pathOf(digest), { force: true });
      // On a full disk the index can be written only now.
      if (!noted) this.note(() => index.forget(digest));
    }
  }

  /** Evicts at once, on a full disk, until `sizeBytes` are free. Says whether anything was evicted. */
  evictNow(sizeBytes: number): boolean {
    const { index } = this.#parts;
    const anyFull = { maxBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0 };
    const chosen = evictions(index.files(), this.#held(), 0, sizeBytes, anyFull);
    for (const digest of chosen) rmSync(this.pathOf(digest), { force: true });
    for (const digest of chosen) this.note(() => index.forget(digest));
    return chosen.length > 0;
  }

  /** Writes to the index; on a full disk evicts and writes again. Throws as the index. */
  evictingWhenFull(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (codeOf(error) !== "SQLITE_FULL" || !this.evictNow(EVICTED_WHEN_FULL_BYTES)) throw error;
      write();
    }
  }

  /**
   * Notes in the index what is found out anew, if need be, when a file is wanted or at the next start. A disk that takes
   * nothing must not keep from the screen what is on it whole. Whether it was noted.
   */
  note(act: () => void): boolean {
    return isTaken(act);
  }

  #held(): ReadonlySet<string> {
    return new Set(this.#holds.keys());
  }

  /** Files that no entry leads to any more. */
  #removeUnheld(): void {
    for (const name of readdirSync(this.#parts.folder)) {
      if (!name.endsWith(PART_SUFFIX) && !this.isHeld(name)) rmSync(this.pathOf(name), { force: true });
    }
  }
}
