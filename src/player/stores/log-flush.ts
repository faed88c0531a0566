import { closeSync, fdatasync, openSync } from "node:fs";
import { codeOf } from "./database.ts";

/** What waits for the disk; whether that has taken all. */
type Act = (tookAll: boolean) => void;
export type Flush = (file: number, onEnd: (error: NodeJS.ErrnoException | null) => void) => void;
/** Hears by which of the system's codes the disk has begun to fail, and `null` when it takes what it is given again. */
export type Report = (code: string | null) => void;

/** A disk that has not answered for so long may never do so, and the hour of the proofs that wait for it goes by (G9). */
const WITHIN_MS = 60_000;
const NO_ANSWER = "ETIMEDOUT";

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
    this.#closed = true;
    if (this.#state === "done") closeSync(this.#file);
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
    if (this.#closed) closeSync(this.#file);
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
