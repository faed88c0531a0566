import { settledWithin } from "./deck-content.ts";
import type { OpenedDeck } from "./media-decks.ts";

/** The deck of one item: loaded and drawn below, then raised. A new deck replaces one whose drawing was lost. */
export class CuedDeck {
  readonly #open: () => Promise<OpenedDeck>;
  readonly #canDrawBelow: () => boolean;
  /** `null` until it is open. */
  #opened: OpenedDeck | null = null;
  #loaded: Promise<boolean> = Promise.resolve(false);
  /** How many decks were opened for it, or are being opened. */
  #attempts = 0;
  #drawn = false;
  #closed = false;

  /** `canDrawBelow` says whether a view below others is drawn at all. */
  constructor(open: () => Promise<OpenedDeck>, canDrawBelow: () => boolean) {
    this.#open = open;
    this.#canDrawBelow = canDrawBelow;
  }

  /** Loads and draws it on a new deck. Resolves with false when it was closed or loaded again meanwhile. */
  load(): Promise<boolean> {
    this.#opened?.deck.close();
    this.#opened = null;
    this.#drawn = false;
    this.#loaded = this.#load(++this.#attempts);
    return this.#loaded;
  }

  /** What the last `load` resolves with. */
  get loaded(): Promise<boolean> {
    return this.#loaded;
  }

  /** The deck once its first picture is drawn; `null` until then. */
  get drawn(): OpenedDeck | null {
    return this.#drawn ? this.#opened : null;
  }

  /** Adapts to a new window size. */
  adapt(): void {
    this.#opened?.deck.adapt();
  }

  close(): void {
    this.#closed = true;
    this.#opened?.deck.close();
  }

  async #load(number: number): Promise<boolean> {
    const isWanted = () => !this.#closed && this.#attempts === number;
    try {
      const opened = await this.#open();
      if (!isWanted()) {
        opened.deck.close();
        return false;
      }
      this.#opened = opened;
      await loadAndDraw(opened, this.#canDrawBelow());
    } catch (error) {
      if (isWanted()) throw error;
    }
    if (isWanted()) this.#drawn = true;
    return isWanted();
  }
}

/** Where views below others are not drawn, a deck is raised at most this long after it has loaded. */
const UNDRAWN_AFTER_MS = 300;

/** Loads a deck below everything visible; resolves when its whole first picture is drawn there. */
export async function loadAndDraw({ deck, content }: OpenedDeck, canDrawBelow: boolean): Promise<void> {
  deck.hangOut();
  await content.load();
  if (canDrawBelow) await content.drawn();
  else await settledWithin(content.drawn(), UNDRAWN_AFTER_MS);
}
