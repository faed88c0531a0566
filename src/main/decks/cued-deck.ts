import { settledWithin } from "./face.ts";
import type { FacedDeck } from "./media-decks.ts";

/** The deck of one item: loaded and drawn below, then raised. Another takes its place where what it had drawn is lost. */
export class CuedDeck {
  readonly #open: () => Promise<FacedDeck>;
  readonly #canDrawBelow: () => boolean;
  /** `null` while it is opened. */
  #faced: FacedDeck | null = null;
  #loaded: Promise<boolean> = Promise.resolve(false);
  /** Decks that were begun to be opened. */
  #opened = 0;
  #drawn = false;
  #closed = false;

  /** `canDrawBelow` says whether what lies below others draws at all, by now. */
  constructor(open: () => Promise<FacedDeck>, canDrawBelow: () => boolean) {
    this.#open = open;
    this.#canDrawBelow = canDrawBelow;
  }

  /** Loads and draws it, anew where it was before. Resolves with false when it was closed or loaded anew meanwhile. */
  load(): Promise<boolean> {
    this.#faced?.deck.close();
    this.#faced = null;
    this.#drawn = false;
    this.#loaded = this.#load(++this.#opened);
    return this.#loaded;
  }

  /** What the last `load` resolves with. */
  get loaded(): Promise<boolean> {
    return this.#loaded;
  }

  /** What is on it, once all of that is drawn; `null` until then. */
  get drawn(): FacedDeck | null {
    return this.#drawn ? this.#faced : null;
  }

  /** Takes in that its window has another size. */
  adapt(): void {
    this.#faced?.deck.adapt();
  }

  close(): void {
    this.#closed = true;
    this.#faced?.deck.close();
  }

  async #load(number: number): Promise<boolean> {
    const isWanted = () => !this.#closed && this.#opened === number;
    try {
      const faced = await this.#open();
      if (!isWanted()) {
        faced.deck.close();
        return false;
      }
      this.#faced = faced;
      await loadAndDraw(faced, this.#canDrawBelow());
    } catch (error) {
      if (isWanted()) throw error;
    }
    if (isWanted()) this.#drawn = true;
    return isWanted();
  }
}

/** Where nothing is drawn below others, a deck is raised as soon as it is loaded, and this much later at most. */
const UNDRAWN_AFTER_MS = 300;

/** Loads a deck below all that is in sight; resolves when all of its first picture is drawn there. */
export async function loadAndDraw({ deck, face }: FacedDeck, canDrawBelow: boolean): Promise<void> {
  deck.hangOut();
  await face.load();
  if (canDrawBelow) await face.drawn();
  else await settledWithin(face.drawn(), UNDRAWN_AFTER_MS);
}
