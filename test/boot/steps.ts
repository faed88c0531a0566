import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A line of the table. */
export interface Step {
  readonly name: string;
  /** What was seen, or why it failed. */
  readonly seen: string;
  readonly seconds: number;
  readonly isDone: boolean;
  /** The photograph that was kept of it, a file's name; null where there was no screen. */
  readonly picture: string | null;
}

/** A step that failed: the run ends with it, and what came before is told. */
export class StepFailed extends Error {}

type Act<T> = (signal: AbortSignal, note: (text: string) => void) => Promise<T>;

/** What an emulated processor takes a minute for has this long, beside other work. */
export const SEEN_WITHIN_MS = 15 * 60_000;

/** The steps of a run, in their order. Each is bounded in time, and leaves a photograph. */
export class Steps {
  readonly all: Step[] = [];
  readonly #folder: string;
  readonly #progress: (text: string) => void;
  readonly #signal: AbortSignal;

  constructor(folder: string, progress: (text: string) => void, signal: AbortSignal) {
    this.#folder = folder;
    this.#progress = progress;
    this.#signal = signal;
  }

  /** Does a step of which nothing is needed but what it says was seen; otherwise like `find`. */
  async take(name: string, withinMs: number, act: Act<string>): Promise<void> {
    await this.find(name, withinMs, act, (seen) => seen);
  }

  /**
   * Does a step, keeps what `tell` makes of its result as what was seen, and resolves with the result. `act` is given the
   * signal that ends it, when the run is stopped or after `withinMs`, and what notes how far it is: that is told where it
   * fails. Throws a `StepFailed` then. The last photograph that was taken meanwhile is kept.
   */
  async find<T>(name: string, withinMs: number, act: Act<T>, tell: (found: T) => string): Promise<T> {
    this.#progress(name);
    rmSync(this.photograph, { force: true });
    let noted = "";
    const note = (text: string) => {
      noted = `\nbefore: ${text}`;
    };
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    const limit = AbortSignal.timeout(withinMs);
    const signal = AbortSignal.any([this.#signal, limit]);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    try {
      const found = await Promise.race([act(signal, note), stopped]);
      this.all.push({ name, seen: tell(found), seconds: seconds(), isDone: true, picture: this.#picture(name) });
      return found;
    } catch (error) {
      this.#signal.throwIfAborted();
      const why = (limit.aborted ? `not within ${withinMs / 1000} s` : messageOf(error)) + noted;
      this.all.push({ name, seen: why, seconds: seconds(), isDone: false, picture: this.#picture(name) });
      throw new StepFailed(`${name}: ${why}`, { cause: error });
    }
  }

  /** Where the screen is photographed to meanwhile. */
  get photograph(): string {
    return join(this.#folder, "now.png");
  }

  #picture(name: string): string | null {
    if (!existsSync(this.photograph)) return null;
    const number = String(this.all.length + 1).padStart(2, "0");
    const file = `${number}-${name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, 60)}.png`;
    copyFileSync(this.photograph, join(this.#folder, file));
    return file;
  }
}

/** Asks every so often until there is an answer other than null, or the signal ends the wait. */
export async function until<T>(signal: AbortSignal, ask: () => Promise<T | null>, everyMs = 2_000): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
