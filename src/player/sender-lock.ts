import { truncateSync } from "node:fs";
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
    const code = codeOf(error) ?? "";
    if (code.startsWith("SQLITE_BUSY")) return null;
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error;
    // It was read, so nobody has it locked. Nothing belongs in it: emptied, and not replaced, it is the same lock for all.
    truncateSync(path);
    return openLock(path);
  }
}
