/** Often enough to be seen moving. */
const EVERY_MS = 100;
const BAR_WIDTH = 30;

/** A bar on standard error while rows are gone through; on a terminal only. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #isShown: boolean;
  #done = 0;
  #shownAt = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
    this.#isShown = process.stderr.isTTY === true && total > 0;
  }

  /** One more is done. */
  step(): void {
    this.#done++;
    const now = Date.now();
    if (!this.#isShown || (now - this.#shownAt < EVERY_MS && this.#done < this.#total)) return;
    this.#shownAt = now;
    process.stderr.write(`\r${barText(this.#what, this.#done, this.#total)}`);
  }

  /** Leaves the line to others. */
  end(): void {
    if (this.#isShown) process.stderr.write("\r\u001b[K");
  }
}

/** `reading [###.......] 3/10`. */
function barText(what: string, done: number, total: number): string {
  const full = Math.round((done / total) * BAR_WIDTH);
  return `${what} [${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${done}/${total}`;
}
