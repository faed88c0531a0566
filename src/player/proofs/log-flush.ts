import { closeSync, fdatasync, openSync } from "node:fs";
import { codeOf } from "../database.ts";

/** What waits for a flush to be over. */
type Act = () => void;
type Flush = (file: number, onEnd: (error: NodeJS.ErrnoException | null) => void) => void;
/** Hears by which of the system's codes the disk has begun to fail, and `null` when it takes what it is given again. */
export type Report = (code: string | null) => void;

/**
 * Brings a database's write-ahead log to the disk in a thread. A disk may take seconds for it, now and then half a minute, and
 * the screen must not wait: what was committed survives the player's own end at once, and a power cut once it is flushed.
 */
export class LogFlush {
  readonly #file: number;
  readonly #report: Report;
  readonly #flush: Flush;
  #failing = false;
  /** `behind`: there was a commit since the flush that is under way began. */
  #state: "done" | "under-way" | "behind" = "done";
  #waiting: Act[] = [];
  #waitingForNext: Act[] = [];
  #closed = false;

  private constructor(file: number, report: Report, flush: Flush) {
    this.#file = file;
    this.#report = report;
    this.#flush = flush;
  }

  /** For the database at a path, which must be open; null where it has no such log. */
  static of(path: string, report: Report, flush: Flush = fdatasync): LogFlush | null {
    try {
      // Windows flushes nothing by way of a file that may only be read.
      return new LogFlush(openSync(`${path}-wal`, "r+"), report, flush);
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
    this.#flush(this.#file, (error) => this.#ended(error));
  }

  /** Acts when what was committed until now is on the disk, at once where it is; or when the disk has failed to take it. */
  whenDone(act: Act): void {
    if (this.#state === "done") act();
    else if (this.#state === "under-way") this.#waiting.push(act);
    else this.#waitingForNext.push(act);
  }

  /** Ends it, as soon as what is under way has ended. */
  close(): void {
    this.#closed = true;
    if (this.#state === "done") closeSync(this.#file);
  }

  #ended(error: NodeJS.ErrnoException | null): void {
    const isBehind = this.#state === "behind" && !this.#closed;
    const waiting = this.#closed ? [...this.#waiting, ...this.#waitingForNext] : this.#waiting;
    this.#waiting = this.#closed ? [] : this.#waitingForNext;
    this.#waitingForNext = [];
    this.#state = "done";
    if (this.#closed) closeSync(this.#file);
    else if (isBehind) this.begin();
    this.#note(error);
    for (const act of waiting) act();
  }

  #note(error: NodeJS.ErrnoException | null): void {
    const failing = error !== null;
    if (failing !== this.#failing) this.#report(error === null ? null : (codeOf(error) ?? error.message));
    this.#failing = failing;
  }
}
