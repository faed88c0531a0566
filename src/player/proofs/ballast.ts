import { randomFillSync } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";
import { MOST_UNWRITTEN_BYTES } from "../stores/commit-flush.ts";

/** Room for more than an hour of proofs and their write-ahead log. */
export const BALLAST_BYTES = 8 * 1024 * 1024;

/** How many times its size must be free before the ballast is created, so that its space is not missed at once. */
const FREE_BEFORE = 4;

/** How long after a start, or after it was freed, the ballast is created: not during the start itself. */
const CREATE_EVERY_MS = 60_000;

/** A file that only reserves space, for proofs on a full disk. */
export class Ballast {
  readonly #path: string;
  readonly #sizeBytes: number;
  #present = false;

  constructor(path: string, sizeBytes: number) {
    this.#path = path;
    this.#sizeBytes = sizeBytes;
  }

  /** Creates it whenever it is missing, until the signal is aborted. */
  keepPresent(clock: Clock, signal: AbortSignal): void {
    let callOff = () => {};
    const wait = () => {
      if (!signal.aborted) callOff = clock.alarm(clock.now() + CREATE_EVERY_MS, () => void create());
    };
    const create = async () => {
      if (!this.#present) await this.#create();
      wait();
    };
    signal.addEventListener("abort", () => callOff(), { once: true });
    wait();
  }

  /** Gives up the space for the next write; false where there was none to give. */
  free(): boolean {
    this.#present = false;
    if (!existsSync(this.#path)) return false;
    rmSync(this.#path);
    return true;
  }

  /** Creates the file unless it is there or there is too little space. */
  async #create(): Promise<void> {
    const found = await stat(this.#path).catch(() => null);
    this.#present = found?.size === this.#sizeBytes || (await this.#write());
  }

  /** Random bytes, which no file system can store as less than they are. False on a disk that does not take them. */
  async #write(): Promise<boolean> {
    const part = `${this.#path}.part`;
    try {
      const { bavail, bsize } = await statfs(dirname(this.#path));
      if (bavail * bsize < FREE_BEFORE * this.#sizeBytes) return false;
      const file = await open(part, "w");
      try {
        const chunk = Buffer.alloc(MOST_UNWRITTEN_BYTES);
        for (let left = this.#sizeBytes; left > 0; left -= MOST_UNWRITTEN_BYTES) {
          await file.write(randomFillSync(chunk), 0, Math.min(left, MOST_UNWRITTEN_BYTES));
          await file.sync();
        }
      } finally {
        await file.close();
      }
      await rename(part, this.#path);
      return true;
    } catch {
      await rm(part, { force: true }).catch(() => {});
      return false;
    }
  }
}
