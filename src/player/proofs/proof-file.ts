import { randomFillSync } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { codeOf, type Database, isBroken, openDatabase, openStore, StoreUnusable } from "../database.ts";
import { moveAside, noteSaved, unsaved } from "../set-aside.ts";
import { proofMigrations } from "./proof-records.ts";
import { type ProofStatements, prepareProofs } from "./proof-sql.ts";
import { owedIn, owedInKept, restoreOwed, type Salvaged } from "./salvage/salvage.ts";

export interface ProofFileParts {
  readonly path: string;
  readonly log: Logger;
  /**
   * What to do, one after the other, when the disk is full: each frees space at once and says whether it did. A
   * statement that did not fit is tried again after each that did.
   */
  readonly onDiskFull?: readonly (() => boolean)[];
}

/** What a start reads through of a large file: a record of 400 days would keep the screen waiting. */
const MONEY = ["proof", "tally"];

/** A statement of the player waits this long for another process, which never writes for long: a late frame is worse. */
const BUSY_MS = 250;

/** The write-ahead log is cut back to this when it has grown beyond, as while somebody reads at length. */
const LONGEST_WAL_BYTES = 4 * 1024 * 1024;

/**
 * The file of the proofs, kept usable while the player runs. When it turns out to be broken, at the start or later, it is
 * set aside, a new one takes over with every proof that could still be read as owed, and what was asked of it is done.
 */
export class ProofFile {
  readonly #parts: ProofFileParts;
  #open: Open | null;
  /** What was owed in a file that is gone, until another has taken it in. */
  #homeless: readonly Salvaged[] = [];

  private constructor(parts: ProofFileParts, database: Database) {
    this.#parts = parts;
    this.#open = prepared(parts.path, database);
  }

  /** Opens the file, made and migrated where need be. Throws `StoreUnusable`. */
  static open(parts: ProofFileParts): ProofFile {
    const { path, log } = parts;
    const database = openStore(path, "full", proofMigrations, log, MONEY);
    try {
      saveOwed(path, database, log);
    } catch (error) {
      database.close();
      const code = codeOf(error);
      if (code === null) throw error;
      throw new StoreUnusable(`${path} cannot take over what is owed (${code}): check whether the disk is full`);
    }
    return new ProofFile(parts, database);
  }

  /** Lets `act` work on the file; it may be called again from its beginning. Throws SQLite's errors that may pass. */
  use<T>(act: (statements: ProofStatements) => T): T {
    try {
      return act(this.#statements());
    } catch (error) {
      if (isBroken(error)) return act(this.#replace(codeOf(error)));
      if (!isFull(error)) throw error;
      return this.#retryOnDiskFull(act, error);
    }
  }

  close(): void {
    this.#open?.database.close();
    this.#open = null;
  }

  #retryOnDiskFull<T>(act: (statements: ProofStatements) => T, full: unknown): T {
    for (const freeSpace of this.#parts.onDiskFull ?? []) {
      if (!freeSpace()) continue;
      try {
        return act(this.#statements());
      } catch (error) {
        if (!isFull(error)) throw error;
      }
    }
    throw full;
  }

  /** Where the last attempt to replace a file failed, there is none open: that is tried again each time. */
  #statements(): ProofStatements {
    if (this.#open === null) return this.#reopened();
    return fileIdOf(this.#parts.path) === this.#open.fileId ? this.#open.statements : this.#putBack(this.#open);
  }

  /** A file that was taken away under the player still takes commits, which nobody would find again. */
  #putBack({ database }: Open): ProofStatements {
    const { path, log } = this.#parts;
    log.error({ path }, "the proof store was removed from its place");
    this.#homeless = owedIn(database);
    this.close();
    return this.#reopened();
  }

  #replace(code: string | null): ProofStatements {
    const { path, log } = this.#parts;
    log.error({ path, code }, "the proof store is broken and is set aside");
    this.close();
    moveAside(path);
    return this.#reopened();
  }

  #reopened(): ProofStatements {
    const { path, log } = this.#parts;
    const opening = openDatabase({ path, durability: "full", migrations: proofMigrations });
    if (opening.kind !== "open") throw new StoreLost(opening.kind === "unusable" ? opening.code : "newer");
    const { database } = opening;
    try {
      saveOwed(path, database, log);
      restoreOwed(this.#homeless, database);
    } catch (error) {
      // Open without what is owed it would be taken for the whole: next time again.
      database.close();
      throw error;
    }
    this.#homeless = [];
    this.#open = prepared(path, database);
    return this.#open.statements;
  }
}

/** There is no file open at the moment, by the code of what kept it from opening. */
class StoreLost extends Error {
  override readonly name = "StoreLost";
  readonly code: string;

  constructor(code: string) {
    super(`the proof store cannot be opened: ${code}`);
    this.code = code;
  }
}

interface Open {
  readonly database: Database;
  readonly statements: ProofStatements;
  /** Names the file itself, wherever it is. */
  readonly fileId: number | null;
}

function prepared(path: string, database: Database): Open {
  database.pragma(`busy_timeout = ${BUSY_MS}`);
  database.pragma(`journal_size_limit = ${LONGEST_WAL_BYTES}`);
  return { database, statements: prepareProofs(database), fileId: fileIdOf(path) };
}

function fileIdOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

/**
 * Brings what files that were set aside show as owed into the one in use; each once, and the next time where that was cut
 * short. What is in the one in use already stays as it is there.
 */
function saveOwed(path: string, database: Database, log: Logger): void {
  for (const kept of unsaved(path)) {
    const owed = owedOf(kept, log);
    if (owed === null) continue;
    restoreOwed(owed, database);
    noteSaved(kept);
    log.warn({ kept, owed: owed.length }, "proofs owed were taken over from the store that was set aside");
  }
}

/** Null where this version cannot tell: a later one may. */
function owedOf(kept: string, log: Logger): readonly Salvaged[] | null {
  try {
    return owedInKept(kept, proofMigrations.length);
  } catch (error) {
    if (codeOf(error) !== "SQLITE_ERROR") throw error;
    log.error({ kept }, "proofs owed in a newer version's store cannot be read by this one");
    return null;
  }
}

/** SQLite tells a full disk as such, and as a failure to lengthen the file that its readers share. */
function isFull(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHM(SIZE|MAP|OPEN)|ENOSPC)/.test(codeOf(error) ?? "");
}

/** Room for more than an hour of proofs and their write-ahead log. */
export const BALLAST_BYTES = 8 * 1024 * 1024;

/** How many times its size must be free before the ballast is created, so that its space is not missed at once. */
const FREE_BEFORE = 4;
const CHUNK_BYTES = 256 * 1024;

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
        const chunk = Buffer.alloc(CHUNK_BYTES);
        for (let left = this.#sizeBytes; left > 0; left -= CHUNK_BYTES) {
          await file.write(randomFillSync(chunk), 0, Math.min(left, CHUNK_BYTES));
        }
        await file.sync();
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
