import type { BaseWindow } from "electron";
import { drawBelow } from "../draw-below.ts";
import { fill } from "../window.ts";
import type { FacedDeck } from "./media-decks.ts";

/** The deck of one item: loaded and drawn below, then raised. Another takes its place where what it had drawn is lost. */
export class CuedDeck {
  readonly #window: BaseWindow;
  readonly #open: () => Promise<FacedDeck>;
  /** `null` while it is opened. */
  #faced: FacedDeck | null = null;
  #loaded: Promise<boolean> = Promise.resolve(false);
  /** Decks that were begun to be opened. */
  #opened = 0;
  #drawing: Promise<void> | null = null;
  #drawn = false;
  #closed = false;

  constructor(window: BaseWindow, open: () => Promise<FacedDeck>) {
    this.#window = window;
    this.#open = open;
  }

  /** Loads it, anew where it was before. Resolves with false when it was closed or loaded anew meanwhile. */
  load(): Promise<boolean> {
    this.#faced?.deck.close();
    this.#faced = null;
    this.#drawing = null;
    this.#drawn = false;
    this.#loaded = this.#load(++this.#opened);
    return this.#loaded;
  }

  /** Resolves when it has drawn out of sight, or should have; rejects when it cannot be loaded. */
  async draw(): Promise<void> {
    await this.#loaded;
    const faced = this.#faced;
    if (faced === null) return;
    this.#drawing ??= drawBelow(this.#window, faced.deck.view, () => faced.face.drawn());
    await this.#drawing;
    this.#drawn = this.#faced === faced;
  }

  /** What is on it, once that is drawn; `null` until then. */
  get drawn(): FacedDeck | null {
    return this.#drawn ? this.#faced : null;
  }

  /** Makes it as large as its window. */
  fit(): void {
    if (this.#faced !== null) fill(this.#window, this.#faced.deck.view);
  }

  close(): void {
    this.#closed = true;
    this.#faced?.deck.close();
  }

  async #load(number: number): Promise<boolean> {
    const isWanted = () => !this.#closed && this.#opened === number;
    try {
      const faced = await this.#open();
      if (isWanted()) {
        this.#faced = faced;
        await faced.face.load();
      } else faced.deck.close();
    } catch (error) {
      if (isWanted()) throw error;
    }
    return isWanted();
  }
}
