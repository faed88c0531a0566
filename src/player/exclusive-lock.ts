import { codeOf, type Database, openLock } from "./database.ts";

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

  /** Whether it is held here now; it is until `release`. Throws the system's errors, but not that another has it. */
  take(): boolean {
    if (this.#held !== null) return true;
    try {
      this.#held = openLock(this.#path);
    } catch (error) {
      if (!codeOf(error)?.startsWith("SQLITE_BUSY")) throw error;
    }
    return this.held;
  }

  release(): void {
    this.#held?.close();
    this.#held = null;
  }
}
