import type { BaseWindow } from "electron";
import type { Shown } from "../../player/remote/overrides.ts";
import { NEXT_PAINT, settledWithin } from "../decks/deck-content.ts";
import type { HouseSlate } from "../house/house-slate.ts";
import { createSlate, type Slate } from "../house/slate.ts";
import { onGraphicsBack } from "../recovery/triggers.ts";

/** A page that takes longer to load, or to draw, is raised as it is: then its colour is there first, and its text after. */
const LOADED_WITHIN_MS = 1_000;
const DRAWN_WITHIN_MS = 1_000;

/** As in `renderer/override/override.css`. */
const COLOUR = "#16181d";

/** The page of one screen that lies over everything while the operator has a message or a test card shown. */
export class OverridePage {
  readonly #window: BaseWindow;
  readonly #house: HouseSlate;
  readonly #told: string;
  readonly #number: number;
  #slate: Slate | null = null;
  #loaded: Promise<void> = Promise.resolve();
  #shown: Shown | null = null;

  /** `told`: what a test card says of the screen. `number` keeps it apart from those of other screens. */
  constructor(window: BaseWindow, house: HouseSlate, told: string, number: number) {
    this.#window = window;
    this.#house = house;
    this.#told = told;
    this.#number = number;
    onGraphicsBack(() => this.#slate?.renew());
  }

  /** Loads it below everything visible, unless it is there already; resolves when it can be raised. */
  async prepare(shown: Shown): Promise<void> {
    this.#shown = shown;
    this.#slate ??= this.#open();
    await settledWithin(this.#loaded, LOADED_WITHIN_MS);
    this.#tell();
  }

  /** Puts it on top of everything, without a sound from below; resolves when it is drawn, or should be. */
  async raise(): Promise<void> {
    if (this.#slate === null) return;
    const { view } = this.#slate;
    this.#house.cover("override", true);
    this.#window.contentView.addChildView(view);
    await settledWithin(view.webContents.executeJavaScript(NEXT_PAINT), DRAWN_WITHIN_MS);
  }

  lower(): void {
    this.#house.cover("override", false);
    this.#slate?.close();
    this.#slate = null;
  }

  /** Resolves when the page answers; at once where there is none. */
  async isAlive(): Promise<void> {
    await this.#slate?.view.webContents.executeJavaScript("0");
  }

  #open(): Slate {
    let onLoaded = () => {};
    this.#loaded = new Promise((resolve) => {
      onLoaded = resolve;
    });
    const slate = createSlate(this.#window, "override/override.html", {
      number: this.#number,
      // After a crash, too.
      onLoaded: () => {
        this.#tell();
        onLoaded();
      },
    });
    slate.setColour(COLOUR);
    void slate.load();
    return slate;
  }

  #tell(): void {
    const override = { ...this.#shown, told: this.#told };
    this.#slate?.view.webContents.executeJavaScript(`show(${JSON.stringify(override)})`).catch(() => {});
  }
}
