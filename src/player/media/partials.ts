import { Partial } from "./partial.ts";

/** So many files are kept half-way for a later try; the one that was put back longest ago makes room. */
const MOST_PARTIALS = 8;

/** Files that are not whole yet, for whoever tries again later in the same run. */
export class Partials {
  readonly #folder: string;
  readonly #shelf = new Map<string, Partial>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What has come so far of what goes by a key, taken off the shelf; or a new, empty one. */
  take(key: string, withMd5: boolean): Partial {
    const partial = this.#shelf.get(key) ?? new Partial(this.#folder, withMd5);
    this.#shelf.delete(key);
    return partial;
  }

  /** Puts a file back that may be gone on with, or discards one that is empty. */
  async putBack(key: string, partial: Partial): Promise<void> {
    if (partial.sizeBytes === 0 || partial.validator === null) return partial.discard();
    this.#shelf.set(key, partial);
    const [oldest] = this.#shelf;
    if (this.#shelf.size <= MOST_PARTIALS || oldest === undefined) return;
    this.#shelf.delete(oldest[0]);
    await oldest[1].discard();
  }

  /** Gives up what is on the shelf, to make room. */
  async discardAll(): Promise<void> {
    const partials = [...this.#shelf.values()];
    this.#shelf.clear();
    await Promise.all(partials.map((partial) => partial.discard()));
  }
}
