import { rmSync, writeFileSync } from "node:fs";
import type { Logger } from "pino";
import { CommitFlush, isDiskFull } from "../stores/commit-flush.ts";
import { codeOf, type Database, isBroken, openDatabase, openStore, StoreUnusable } from "../stores/database.ts";
import { fileIdOf, moveAside, noteSaved, unsaved } from "../stores/set-aside.ts";
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
  /**
   * Whether commits are brought to the disk in a thread, of which `whenFlushed` tells, because whoever commits has a screen to
   * keep. By default each is there when it returns.
   */
  readonly flushesInThread?: boolean;
}

/** What a start reads through of a large file: a record of 400 days would keep the screen waiting. */
const MONEY = ["proof", "tally"];

/** A statement of the player waits this long for another process, which never writes for long: a late frame is worse. */
const BUSY_MS = 250;

/** Each proof is on the disk before it is sent, and the log gets half as long as it may. */
const PACE = { changesAFlush: 1, flushesACheckpoint: 100 };

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
    this.#open = prepared(parts, database);
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
      throw new StoreUnusable(`${path} cannot take over what is owed (${code}): check whether the disk is full`, {
        cause: code,
      });
    }
    return new ProofFile(parts, database);
  }

  /** Lets `act` work on the file; it may be called again from its beginning. Throws SQLite's errors that may pass. */
  use<T>(act: (statements: ProofStatements) => T): T {
    const result = this.#use(act);
    this.#open?.flush?.begin();
    return result;
  }

  /** Acts once what was committed until now survives a power cut, at once where it does; or the disk has failed, or takes too long. */
  whenFlushed(act: () => void): void {
    const flush = this.#open?.flush;
    if (flush) flush.whenDone(act);
    else act();
  }

  #use<T>(act: (statements: ProofStatements) => T): T {
    try {
      return act(this.#statements());
    } catch (error) {
      if (isBroken(error)) return act(this.#replace(codeOf(error)));
      if (!isFull(error, this.#parts.path)) throw error;
      return this.#retryOnDiskFull(act, error);
    }
  }

  close(): void {
    this.#open?.flush?.close();
    this.#open?.database.close();
    this.#open = null;
  }

  #retryOnDiskFull<T>(act: (statements: ProofStatements) => T, full: unknown): T {
    for (const freeSpace of this.#parts.onDiskFull ?? []) {
      if (!freeSpace()) continue;
      try {
        return act(this.#statements());
      } catch (error) {
        if (!isFull(error, this.#parts.path)) throw error;
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
    this.#open = prepared(this.#parts, database);
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
  readonly fileId: string | null;
  /** `null` where each commit is on the disk when it returns. */
  readonly flush: CommitFlush | null;
}

function prepared({ path, log, flushesInThread = false }: ProofFileParts, database: Database): Open {
  database.pragma(`busy_timeout = ${BUSY_MS}`);
  database.pragma(`journal_size_limit = ${LONGEST_WAL_BYTES}`);
  const report = (code: string | null) => {
    if (code !== null) log.error({ path, code }, "the disk does not take what was committed");
    else log.info({ path }, "the disk takes what is committed again");
  };
  // Only from here on: what was taken over from another file is on the disk before that counts as saved.
  const flush = flushesInThread ? CommitFlush.of(database, path, PACE, report) : null;
  return { database, statements: prepareProofs(database), fileId: fileIdOf(path), flush };
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

/** Null where they cannot be told now, or by this version: the next start asks again. What is owed from now on goes before. */
function owedOf(kept: string, log: Logger): readonly Salvaged[] | null {
  try {
    return owedInKept(kept, proofMigrations.length);
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    if (code === "SQLITE_ERROR")
      log.error({ kept }, "proofs owed in a newer version's store cannot be read by this one");
    else log.error({ kept, code }, "proofs owed in the store that was set aside cannot be read");
    return null;
  }
}

/**
 * SQLite tells a full disk as such, and as a failure to lengthen the file that its readers share. That a user may have no
 * more of the disk (EDQUOT) is a failed write to it as any other: then a file beside the store tells.
 */
function isFull(error: unknown, path: string): boolean {
  const code = codeOf(error) ?? "";
  if (code === "SQLITE_IOERR_WRITE") return takesNoMore(`${path}-probe`);
  return /^(SQLITE_FULL|SQLITE_IOERR_SHM(SIZE|MAP|OPEN)|ENOSPC)/.test(code);
}

/** More than a commit adds to the log. */
const PROBE = Buffer.alloc(64 * 1024);

function takesNoMore(probe: string): boolean {
  try {
    writeFileSync(probe, PROBE, { flush: true });
    return false;
  } catch (error) {
    return isDiskFull(error);
  } finally {
    rmSync(probe, { force: true });
  }
}
