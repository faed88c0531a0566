import { type BaseWindow, View } from "electron";
import type { Logger } from "pino";
import type { Clock } from "../player/clock.ts";
import type { Config } from "../player/config/config.ts";
import { HouseFolder } from "../player/house-folder.ts";
import { type HouseShow, startHouseShow } from "../player/house-show.ts";
import type { HouseTray } from "./house-files.ts";
import { houseStage } from "./house-stage.ts";
import { laySlate, SLATE_COLOUR, type Slate } from "./slate.ts";

/** What house content is shown by. */
export interface HousePlan extends Pick<Config, "house" | "audio"> {
  readonly clock: Clock;
  readonly log: Logger;
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
  #curtain: View | null = null;

  /** Lays the slate. `name`: the screen's, as far as it is known; `clock`: whether to tell the time. */
  constructor(window: BaseWindow, { name, clock }: { readonly name: string; readonly clock: boolean }) {
    this.#window = window;
    this.#name = name;
    this.#clock = clock;
    this.#slate = laySlate(window, "slate/slate.html", { house: this.#tray, onLoaded: () => this.#furnish() });
  }

  /** Loads the slate, once; resolves when it is painted. */
  load(): Promise<void> {
    return this.#slate.load();
  }

  /** Shows the screen's name on the slate from now on. */
  setName(name: string): void {
    this.#name = name;
    this.#tell(`slate.name(${JSON.stringify(name)})`);
  }

  /** Begins with the operator's folder, where there is one. The slate must be loaded. */
  begin({ house, audio, clock, log }: HousePlan): void {
    const { webContents } = this.#slate.view;
    webContents.setAudioMuted(true);
    if (house.dir === null) return;
    const folder = new HouseFolder(house.dir, log);
    this.#tray.folder = folder;
    const stage = houseStage(webContents, folder, audio.muted);
    this.#show = startHouseShow({ folder, stage, clock, stayMs: house.seconds * 1000, log });
    if (!this.#isInSight()) this.#show.dispatch({ kind: "covered" });
    webContents.setAudioMuted(audio.muted);
  }

  /** Takes in whether a deck in sight lies above the slate: nothing moves that nobody sees. */
  cover(covered: boolean): void {
    this.#covered = covered;
    this.#noteSight();
  }

  /**
   * Black instead of house content, or no longer. A curtain falls at once and stays until the page itself is black: of a
   * page, unlike of a curtain, the pointer can be hidden.
   */
  darken(dark: boolean): void {
    this.#dark = dark;
    this.#noteSight();
    if (dark) this.#dropCurtain();
    this.#slate.view.setBackgroundColor(dark ? "#000000" : SLATE_COLOUR);
    this.#slate.view.webContents
      .executeJavaScript(`slate.dark(${dark})`)
      .then(() => this.#raiseCurtain())
      // The page is gone; the one that is loaded next is black from the beginning.
      .catch(() => {});
  }

  #furnish(): void {
    this.setName(this.#name);
    if (this.#clock) this.#tell("slate.clock()");
    if (this.#dark) this.darken(true);
    this.#show?.dispatch({ kind: "emptied" });
  }

  #isInSight(): boolean {
    return !this.#covered && !this.#dark;
  }

  #noteSight(): void {
    this.#show?.dispatch({ kind: this.#isInSight() ? "uncovered" : "covered" });
  }

  #dropCurtain(): void {
    this.#curtain ??= new View();
    this.#curtain.setBackgroundColor("#000000");
    const { width, height } = this.#window.getContentBounds();
    this.#curtain.setBounds({ x: 0, y: 0, width, height });
    this.#window.contentView.addChildView(this.#curtain);
  }

  #raiseCurtain(): void {
    if (this.#curtain === null) return;
    this.#window.contentView.removeChildView(this.#curtain);
    this.#curtain = null;
  }

  #tell(code: string): void {
    this.#slate.view.webContents.executeJavaScript(code).catch(() => {});
  }
}
