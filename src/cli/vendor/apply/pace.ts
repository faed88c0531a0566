import type { Answer } from "../../../client/answer.ts";

/** The most calls under way at a time: as many as a browser allows itself to one host. */
export const CALLS_AT_ONCE = 6;

/** A 429 is waited out so often for one call; a service that then still says so is not to be had. */
const MOST_WAITS = 20;
/** The wait after a 429 that names none. */
const WAIT_MS = 30_000;
/** The waits after calls that nothing came of: the service is restarted, the line is down for a moment. */
const FALTERING_MS = [500, 1_000, 2_000] as const;

/** Calls under way together are told to wait a moment after one another. */
const SAME_WAIT_MS = 1_000;

/** Makes calls no faster than the service likes them: when it asks one to wait, all wait. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #onPause: (waitMs: number) => void;
  #pausedUntil = 0;

  /** `onPause` hears of each wait that makes all of them longer. */
  constructor(signal: AbortSignal, onPause: (waitMs: number) => void = () => {}) {
    this.#signal = signal;
    this.#onPause = onPause;
  }

  /** Calls until there is an answer other than "wait", or waiting was called off. `ask` must be safe to repeat then. */
  async call<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
    for (let waits = 0, falters = 0; ; ) {
      await this.#pause();
      if (this.#signal.aborted) return CALLED_OFF;
      const answer = await ask();
      const waitMs = waitAfter(answer, falters);
      if (waitMs === null || ++waits > MOST_WAITS) return answer;
      if (answer.kind === "unavailable") falters++;
      // What was asked for while the others wait anyway is no news.
      if (waitMs > this.#left() + SAME_WAIT_MS) this.#onPause(waitMs);
      this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + waitMs);
    }
  }

  async #pause(): Promise<void> {
    for (let leftMs = this.#left(); leftMs > 0 && !this.#signal.aborted; leftMs = this.#left()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, leftMs);
        this.#signal.addEventListener("abort", done, { once: true });
      });
    }
  }

  #left(): number {
    return this.#pausedUntil - Date.now();
  }
}

const CALLED_OFF = { kind: "unavailable", reason: "called off", retryAfterMs: null, done: "no" } as const;

/** How long to wait before the same call may be made again; null where it is not to be. */
function waitAfter(answer: Answer<unknown>, falters: number): number | null {
  if (answer.kind === "limited") return answer.retryAfterMs ?? WAIT_MS;
  if (answer.kind !== "unavailable" || answer.done !== "no") return null;
  return answer.retryAfterMs ?? FALTERING_MS[falters] ?? null;
}

/** Does something for each entry, `CALLS_AT_ONCE` at a time, in order, until all are done or it is called off. */
export async function forEach<T>(
  entries: readonly T[],
  signal: AbortSignal,
  act: (entry: T) => Promise<void>,
): Promise<void> {
  const left = entries.values();
  const work = async () => {
    for (const entry of left) {
      if (signal.aborted) return;
      await act(entry);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
