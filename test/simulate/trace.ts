import { createHash } from "node:crypto";
import type { Instant } from "../../src/core/spot.ts";

/** How many events are kept, to be shown where something fails. */
const MOST_KEPT = 80;

/**
 * What happened, in order, as a hash and the last of it. Events of one instant count in any order: which of two files is
 * read first is for the operating system to decide.
 */
export class Trace {
  readonly #hash = createHash("sha256");
  readonly #last: string[] = [];
  readonly #onEvent: (line: string) => void;
  #at: Instant = 0;
  #instant: string[] = [];
  #count = 0;

  /** `onEvent` is told of each as it happens. */
  constructor(onEvent: (line: string) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  note(at: Instant, event: string): void {
    const line = `${instantOf(at)}  ${event}`;
    this.#onEvent(line);
    if (at !== this.#at) this.#close();
    this.#at = at;
    this.#instant.push(event);
    this.#count++;
    this.#last.push(line);
    if (this.#last.length > 2 * MOST_KEPT) this.#last.splice(0, MOST_KEPT);
  }

  last(): readonly string[] {
    return this.#last.slice(-MOST_KEPT);
  }

  get count(): number {
    return this.#count;
  }

  /** Of all so far. */
  hash(): string {
    this.#close();
    return this.#hash.copy().digest("hex").slice(0, 16);
  }

  #close(): void {
    if (this.#instant.length === 0) return;
    this.#hash.update(`${this.#at}\n${this.#instant.sort().join("\n")}\n`);
    this.#instant = [];
  }
}

/** `12d 03:04:05.678` from the beginning. */
export function instantOf(at: Instant): string {
  const days = Math.floor(at / 86_400_000);
  return `${days}d ${new Date(at - days * 86_400_000).toISOString().slice(11, 23)}`;
}
