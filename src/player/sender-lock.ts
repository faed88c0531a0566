import { codeOf, type Database, openLock } from "./database.ts";

/**
 * Whoever holds it is the one that sends proofs from this data folder (G10). It is the operating system's own lock on a
 * file, held through SQLite: gone the moment that its process is, however that ended, so it cannot be left behind.
 */
export class SenderLock {
  readonly #path: string;
  #held: Database | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get held(): boolean {
    return this.#held !== null;
  }

  /** Whether this is the sender now; it stays so until `release`. Throws the system's errors, not that another is. */
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
