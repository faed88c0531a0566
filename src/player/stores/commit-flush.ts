import { closeSync, fdatasync, openSync } from "node:fs";
import { constants } from "node:os";
import { codeOf, type Database, isTaken, type Statement } from "./database.ts";

/** What waits for the disk; whether that has taken all. */
type Act = (tookAll: boolean) => void;
type Flush = (file: number, onEnd: (error: NodeJS.ErrnoException | null) => void) => void;
/** Hears by which of the system's codes the disk has begun to fail, and `null` when it takes what it is given again. */
type Report = (code: string | null) => void;

/** A disk that has not answered for so long may never do so, and the hour of the proofs that wait for it goes by (G9). */
const WITHIN_MS = 60_000;
const NO_ANSWER = "ETIMEDOUT";

/**
 * So much is given to the disk at a time of what is large. On a slow one all others wait behind it: a line that the screen
 * waits for, written to a log, waits for what a file system's journal has before it.
 */
export const MOST_UNWRITTEN_BYTES = 256 * 1024;

/** Whether the system says that a disk is full, has no more files, or gives its user no more, for which Node has no code. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return codeOf(error) === "ENOSPC" || ("errno" in error && error.errno === -constants.errno.EDQUOT);
}

/**
 * Brings a database's write-ahead log to the disk in a thread. A disk may take seconds for it, now and then half a minute, and
 * the screen must not wait: what was committed survives the player's own end at once, and a power cut once it is flushed.
 */
export class LogFlush {
  readonly #file: number;
  readonly #report: Report;
  readonly #flush: Flush;
  readonly #withinMs: number;
  #failing = false;
  /** `behind`: there was a commit since the flush that is under way began. */
  #state: "done" | "under-way" | "behind" = "done";
  #waiting: Act[] = [];
  #waitingForNext: Act[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** The flush that is under way takes too long: nobody waits for it any more. */
  #overdue = false;
  #closed = false;

  private constructor(file: number, report: Report, flush: Flush, withinMs: number) {
    this.#file = file;
    this.#report = report;
    this.#flush = flush;
    this.#withinMs = withinMs;
  }

  /** For the database at a path, which must be open; null where it has no such log. */
  static of(path: string, report: Report, flush: Flush = fdatasync, withinMs = WITHIN_MS): LogFlush | null {
    try {
      // Windows flushes nothing by way of a file that may only be read.
      return new LogFlush(openSync(`${path}-wal`, "r+"), report, flush, withinMs);
    } catch (error) {
      if (codeOf(error) === null) throw error;
      return null;
    }
  }

  /** Flushes what was committed until now. */
  begin(): void {
    if (this.#state !== "done") {
      this.#state = "behind";
      return;
    }
    this.#state = "under-way";
    this.#timer = setTimeout(() => this.#giveUpWaiting(), this.#withinMs).unref();
    this.#flush(this.#file, (error) => this.#ended(error));
  }

  /** Acts when what was committed until now is on the disk, at once where it is; or when the disk has failed, or takes too long. */
  whenDone(act: Act): void {
    if (this.#state === "done" || this.#overdue) act(!this.#failing);
    else if (this.#state === "under-way") this.#waiting.push(act);
    else this.#waitingForNext.push(act);
  }

  /** Ends it, as soon as what is under way has ended. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#state === "done") this.#closeFile();
  }

  /** The number is free afterwards, whatever a disk that is gone says to it: the next file to be opened may have it. */
  #closeFile(): void {
    isTaken(() => closeSync(this.#file));
  }

  #giveUpWaiting(): void {
    this.#overdue = true;
    const waiting = this.#takeAll();
    this.#note(NO_ANSWER);
    for (const act of waiting) act(false);
  }

  #ended(error: NodeJS.ErrnoException | null): void {
    clearTimeout(this.#timer);
    this.#overdue = false;
    const isBehind = this.#state === "behind" && !this.#closed;
    const waiting = this.#closed ? this.#takeAll() : this.#waiting;
    this.#waiting = this.#waitingForNext;
    this.#waitingForNext = [];
    this.#state = "done";
    if (this.#closed) this.#closeFile();
    else if (isBehind) this.begin();
    this.#note(error === null ? null : (codeOf(error) ?? error.message));
    for (const act of waiting) act(error === null);
  }

  #takeAll(): readonly Act[] {
    const all = [...this.#waiting, ...this.#waitingForNext];
    this.#waiting = [];
    this.#waitingForNext = [];
    return all;
  }

  #note(code: string | null): void {
    const failing = code !== null;
    if (failing !== this.#failing) this.#report(code);
    this.#failing = failing;
  }
}

/** After both the log must be shorter than SQLite lets it get before it brings that into the database itself: a thousand pages. */
export interface Pace {
  /** How many rows are changed until the disk is asked to take them. */
  readonly changesAFlush: number;
  readonly flushesACheckpoint: number;
}

/** Brings what a connection commits to the disk in a thread, and now and then its log into the database. */
export class CommitFlush {
  readonly #database: Database;
  readonly #log: LogFlush;
  readonly #pace: Pace;
  readonly #countChanges: Statement<[], number>;
  /** How many of the rows that the connection has changed were flushed, or are being flushed. */
  #flushed: number;
  #flushes = 0;

  private constructor(database: Database, log: LogFlush, pace: Pace) {
    this.#database = database;
    this.#log = log;
    this.#pace = pace;
    this.#countChanges = database.prepare<[], number>("select total_changes()").pluck();
    this.#flushed = this.#changes();
  }

  /** For the connection to the database at a path, of which no commit waits for the disk any more; null where it has no log. */
  static of(database: Database, path: string, pace: Pace, report: Report, flush?: Flush): CommitFlush | null {
    const log = LogFlush.of(path, report, flush);
    if (log === null) return null;
    database.pragma("synchronous = normal");
    return new CommitFlush(database, log, pace);
  }

  /** Begins to bring what was changed to the disk, where that is enough. */
  begin(): void {
    const changes = this.#changes();
    if (changes - this.#flushed < this.#pace.changesAFlush) return;
    this.#flushed = changes;
    this.#log.begin();
    if (++this.#flushes % this.#pace.flushesACheckpoint === 0)
      this.#log.whenDone((tookAll) => tookAll && this.#checkpoint());
  }

  /** Acts when what the disk was asked to take until now is on the disk, at once where it is; or when the disk has failed, or takes too long. */
  whenDone(act: () => void): void {
    this.#log.whenDone(act);
  }

  /** Ends it, as soon as what is under way has ended. */
  close(): void {
    this.#log.close();
  }

  #changes(): number {
    return this.#countChanges.get() ?? 0;
  }

  /**
   * Brings the log into the database and begins it anew, for both of which SQLite waits for the disk: just when that has
   * answered, and not with a commit at an item's end.
   */
  #checkpoint(): void {
    const database = this.#database;
    if (!database.open) return;
    isTaken(() => {
      database.pragma("wal_checkpoint(passive)");
      // Written as it is, with nobody in between.
      const write = () => database.pragma(`user_version = ${database.pragma("user_version", { simple: true })}`);
      database.transaction(write).immediate();
    });
  }
}
