import { readdirSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { type CacheLimits, evictions } from "../../core/cache-policy.ts";
import { codeOf, isTaken } from "../database.ts";
import type { MediaIndex } from "./media-index.ts";
import { PART_SUFFIX } from "./partial-download.ts";

export interface RoomParts {
  /** Files in it are named by the SHA-256 of their bytes. */
  readonly folder: string;
  readonly index: MediaIndex;
  readonly limits: CacheLimits;
  /** Gives up what was begun to be downloaded and is not under way. */
  readonly discardPartials: () => Promise<void>;
}

/** How many bytes are given up for a row of the index that does not fit on the disk. */
const RELIEF_BYTES = 1024 * 1024;

/** The room that media have on the disk: what is in use is held, and what was used longest ago makes way for the rest. */
export class CacheQuota {
  readonly #parts: RoomParts;
  /** How many use each file, by its digest. */
  readonly #holds = new Map<string, number>();

  constructor(parts: RoomParts) {
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
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < incomingBytes + limits.minFreeBytes) await discardPartials();
    for (const digest of evictions(index.files(), this.#held(), bavail * bsize, incomingBytes, limits)) {
      const noted = this.note(() => index.forget(digest));
      // At once: who asks for a file while it is being removed would hold what is gone.
      rmSync(this.pathOf(digest), { force: true });
      // On a full disk that is what made room for saying so.
      if (!noted) this.note(() => index.forget(digest));
    }
  }

  /** Evicts at once, for a disk that is full, until `sizeBytes` are free. Whether there was anything to give up. */
  sacrifice(sizeBytes: number): boolean {
    const { index } = this.#parts;
    const anyFull = { maxBytes: Number.POSITIVE_INFINITY, minFreeBytes: 0 };
    const chosen = evictions(index.files(), this.#held(), 0, sizeBytes, anyFull);
    for (const digest of chosen) rmSync(this.pathOf(digest), { force: true });
    for (const digest of chosen) this.note(() => index.forget(digest));
    return chosen.length > 0;
  }

  /** What does not fit on a full disk fits when something else has been given up for it. Throws as the index. */
  withRelief(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (codeOf(error) !== "SQLITE_FULL" || !this.sacrifice(RELIEF_BYTES)) throw error;
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
