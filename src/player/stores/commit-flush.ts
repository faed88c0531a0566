import { type Database, isTaken, type Statement } from "./database.ts";
import { type Flush, LogFlush, type Report } from "./log-flush.ts";

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
