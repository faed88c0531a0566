import type { BaseWindow } from "electron";
import type { Logger } from "pino";
import type { Clock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import { HouseFolder } from "../../player/house/house-folder.ts";
import { type HouseShow, startHouseShow } from "../../player/house/house-show.ts";
import { NEXT_PAINT } from "../decks/face.ts";
import { drawBelow } from "../draw-below.ts";
import { onGraphicsBack } from "../recovery/graphics.ts";
import { fill } from "../window.ts";
import type { HouseTray } from "./house-files.ts";
import { houseStage } from "./house-stage.ts";
import { laySlate, SLATE_COLOUR, type Slate } from "./slate.ts";

/** What house content is shown by. */
export interface HousePlan extends Pick<Config, "house" | "audio"> {
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the slate itself tells. */
export interface SlatePlan {
  /** The screen's, as far as it is known. */
  readonly name: string;
  /** Whether to tell the time of day. */
  readonly clock: boolean;
  /** Keeps what pages of one screen have apart from those of others. */
  readonly number?: number;
}

/** The slate of one window with the house content on it, and the dark in its place while the screen is closed. */
export class HouseSlate {
  readonly #window: BaseWindow;
  readonly #slate: Slate;
  readonly #tray: HouseTray = { folder: null };
  #show: HouseShow | null = null;
  #name: string;
  #clock: boolean;
  #covered = false;
  #dark = false;
  #gone = false;
  #muted = true;

  constructor(window: BaseWindow, { name, clock, number = 0 }: SlatePlan) {
    this.#window = window;
    this.#name = name;
    this.#clock = clock;
    this.#slate = laySlate(window, "slate/slate.html", {
      ...{ number, house: this.#tray },
      onLoaded: () => this.#furnish(),
      onGone: () => {
        this.#gone = true;
        this.#noteSight();
      },
    });
    this.#slate.view.webContents.setAudioMuted(true);
    // A page whose graphics were lost may never draw all of itself again.
    onGraphicsBack(async () => {
      const renewed = this.#slate.renew();
      // Nobody waits for what is not in sight.
      if (!this.#covered) await renewed;
    });
  }

  /** Loads the slate, once; resolves when it is painted. */
  load(): Promise<void> {
    return this.#slate.load();
  }

  /** Makes it as large as the display that the window is on by now. */
  fit(): void {
    fill(this.#window, this.#slate.view);
  }

  /** Shows the screen's name on the slate from now on. */
  setName(name: string): void {
    this.#name = name;
    this.#tell(`slate.name(${JSON.stringify(name)})`);
  }

  /** Begins with the operator's folder, where there is one. The slate must be loaded. */
  begin({ house, audio, clock, log }: HousePlan): void {
    if (house.dir === null) return;
    const folder = new HouseFolder(house.dir, log);
    this.#tray.folder = folder;
    this.#muted = audio.muted;
    const stage = houseStage(this.#slate.view.webContents, folder, audio.muted);
    this.#show = startHouseShow({ folder, stage, clock, stayMs: house.seconds * 1000, log });
    this.#noteSight();
  }

  /** Takes in whether a deck in sight lies above the slate: nothing moves that nobody sees. */
  cover(covered: boolean): void {
    this.#covered = covered;
    this.#noteSight();
  }

  /** Black instead of house content, or no longer; black is drawn when this resolves, or should be. */
  async darken(dark: boolean): Promise<void> {
    this.#dark = dark;
    this.#noteSight();
    this.#slate.setColour(dark ? "#000000" : SLATE_COLOUR);
    // A page that is gone says nothing; the one that is loaded next is black from the beginning.
    if (dark) await this.#drawBelow("slate.dark(true)");
    else this.#tell("slate.dark(false)");
  }

  /** Runs code that resolves once something is drawn, so that it is there before the deck above is gone. */
  async #drawBelow(code: string): Promise<void> {
    const { view } = this.#slate;
    await drawBelow(this.#window, view, () => view.webContents.executeJavaScript(code));
    fill(this.#window, view);
  }

  #furnish(): void {
    this.setName(this.#name);
    if (this.#clock) this.#tell("slate.clock()");
    if (this.#dark) void this.darken(true);
    // So that it is there at once when nothing covers it any more.
    else if (this.#covered) void this.#drawBelow(NEXT_PAINT);
    this.#show?.dispatch({ kind: "emptied" });
    this.#gone = false;
    this.#noteSight();
  }

  /** Not a sound from below either. */
  #noteSight(): void {
    const inSight = !this.#covered && !this.#dark && !this.#gone;
    this.#slate.view.webContents.setAudioMuted(this.#muted || !inSight);
    this.#show?.dispatch({ kind: inSight ? "uncovered" : "covered" });
  }

  #tell(code: string): void {
    this.#slate.view.webContents.executeJavaScript(code).catch(() => {});
  }
}
