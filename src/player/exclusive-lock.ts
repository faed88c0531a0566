import { truncateSync } from "node:fs";
import { codeOf, type Database, isBroken, openLock } from "./stores/database.ts";

/**
 * What only one may have: to send the proofs of a data folder (G10), to be the player there. It is the operating system's
 * own lock on a file, held through SQLite: gone the moment that its process is, however that ended, so it cannot be left
 * behind by a crash or a power cut.
 */
export class ExclusiveLock {
  readonly #path: string;
  #held: Database | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get held(): boolean {
    return this.#held !== null;
  }

  /**
   * Whether it is held here now; it is until `release`. Throws the system's errors, but not that another has it: a caller that
   * cannot write the file does not hold it, and cannot tell whether another does.
   */
  take(): boolean {
    this.#held ??= lockOn(this.#path);
    return this.held;
  }

  release(): void {
    this.#held?.close();
    this.#held = null;
  }
}

/** The lock, or null where another has it. */
function lockOn(path: string): Database | null {
  try {
    return openLock(path);
  } catch (error) {
    if (codeOf(error)?.startsWith("SQLITE_BUSY")) return null;
    if (!isBroken(error)) throw error;
    // It was read, so nobody has it locked. Nothing belongs in it: emptied, and not replaced, it is the same lock for all.
    truncateSync(path);
    return openLock(path);
  }
}
