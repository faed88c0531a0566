import type { BaseWindow, WebContents } from "electron";
import type { Logger } from "pino";
import { z } from "zod";
import type { HouseItem } from "../../core/house.ts";
import type { Clock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import { HouseFolder } from "../../player/house/house-folder.ts";
import { type HouseShow, type HouseStage, startHouseShow } from "../../player/house/house-show.ts";
import { presented, settledWithin } from "../decks/deck-content.ts";
import { houseUrl } from "../protocol/schemes.ts";
import { onGraphicsBack } from "../recovery/triggers.ts";
import { SLATE_PLACE } from "../window/placement.ts";
import { fill, overhanging, visiblePart } from "../window/window.ts";
import { brokenIn, drawnIn, newestFrame } from "./page-frames.ts";
import { createSlate, type ServedHouse, SLATE_COLOUR, type Slate } from "./slate.ts";

/** What house content is shown by. */
interface HousePlan extends Pick<Config, "house"> {
  readonly isMuted: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What can cover the slate: decks, and the operator's override. */
type Cover = "deck" | "override";

/** What the slate itself tells. */
interface SlatePlan {
  /** The screen's, as far as it is known. */
  readonly name: string;
  /** Whether to tell the time of day. */
  readonly clock: boolean;
  /** Keeps what pages of one screen have apart from those of others. */
  readonly number?: number;
}

/** The slate of one window with the house content on it; black while the screen is blanked. */
export class HouseSlate {
  readonly #window: BaseWindow;
  readonly #slate: Slate;
  readonly #served: ServedHouse = { folder: null };
  #show: HouseShow | null = null;
  #name: string;
  #clock: boolean;
  readonly #coveredBy = new Set<Cover>();
  #blanked = false;
  #gone = false;
  /** Pending from when the page is gone until the next one is drawn. */
  #redraw: PromiseWithResolvers<void> | null = null;
  #isMuted = () => true;

  constructor(window: BaseWindow, { name, clock, number = 0 }: SlatePlan) {
    this.#window = window;
    this.#name = name;
    this.#clock = clock;
    this.#slate = createSlate(window, "slate/slate.html", {
      ...{ number, house: this.#served },
      onLoaded: () => this.#restore(),
      onGone: () => this.#noteGone(),
    });
    this.#slate.view.webContents.setAudioMuted(true);
    // Chromium does not always redraw a page whose graphics were lost.
    onGraphicsBack(async () => {
      this.#noteGone();
      void this.#slate.renew();
      // Nothing waits for a covered slate.
      if (!this.#covered) await this.redrawn;
    });
  }

  /** Loads the slate, once; resolves when it is painted. */
  load(): Promise<void> {
    return this.#slate.load();
  }

  /** Settles when the page that comes after one that is gone is drawn, or should be; null where none is to come. */
  get redrawn(): Promise<void> | null {
    return this.#redraw && settledWithin(this.#redraw.promise, DRAWN_WITHIN_MS);
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
  begin({ house, isMuted, clock, log }: HousePlan): void {
    if (house.dir === null) return;
    const folder = new HouseFolder(house.dir, log);
    this.#served.folder = folder;
    this.#isMuted = isMuted;
    const stage = houseStage(this.#slate.view.webContents, folder, isMuted);
    this.#show = startHouseShow({ folder, stage, clock, stayMs: house.seconds * 1000, log });
    this.#noteVisibility();
  }

  /** Notes whether something covers the slate: covered house content is paused. */
  cover(by: Cover, covered: boolean): void {
    if (covered) this.#coveredBy.add(by);
    else this.#coveredBy.delete(by);
    // It may be drawing below still; what becomes black does so until then.
    if (!this.#covered && !this.#blanked) this.fit();
    this.#noteVisibility();
  }

  get #covered(): boolean {
    return this.#coveredBy.size > 0;
  }

  /** Shows black instead of house content, or no longer; resolves when black is drawn, or should be. */
  async setBlanked(blanked: boolean): Promise<void> {
    this.#blanked = blanked;
    this.#noteVisibility();
    this.#slate.setColour(blanked ? "#000000" : SLATE_COLOUR);
    // A page that has crashed does not answer; the next one is black from the start.
    if (blanked) await this.#drawBelow((page) => page.executeJavaScript("slate.blank(true)"), BLACK_WITHIN_MS);
    else this.#tell("slate.blank(false)");
  }

  /**
   * Lets the slate draw below what covers it; resolves when `draw` has, and after `withinMs` at the latest. Until then it
   * sticks out by a pixel: Chromium draws nothing of a view that is covered whole.
   */
  async #drawBelow(draw: (page: WebContents) => Promise<unknown>, withinMs: number): Promise<void> {
    const { view } = this.#slate;
    view.setBounds(overhanging(this.#window, visiblePart(this.#window), SLATE_PLACE));
    await settledWithin(draw(view.webContents), withinMs);
    this.fit();
  }

  #restore(): void {
    this.setName(this.#name);
    if (this.#clock) this.#tell("slate.clock()");
    const redraw = this.#redraw;
    void this.#draw().then(() => {
      redraw?.resolve();
      if (this.#redraw === redraw) this.#redraw = null;
    });
    this.#show?.dispatch({ kind: "emptied" });
    this.#gone = false;
    this.#noteVisibility();
  }

  /** Draws all of a page that was just loaded, so that it is there at once when it is uncovered. */
  #draw(): Promise<void> {
    if (this.#blanked) return this.setBlanked(true);
    if (this.#covered) return this.#drawBelow(presented, DRAWN_WITHIN_MS);
    return settledWithin(presented(this.#slate.view.webContents), DRAWN_WITHIN_MS);
  }

  #noteGone(): void {
    const before = this.#redraw;
    this.#redraw = Promise.withResolvers();
    before?.resolve(this.#redraw.promise);
    this.#gone = true;
    this.#noteVisibility();
  }

  /** Covered house content is paused and muted. */
  #noteVisibility(): void {
    const visible = !this.#covered && !this.#blanked && !this.#gone;
    this.#slate.view.webContents.setAudioMuted(this.#isMuted() || !visible);
    this.#show?.dispatch({ kind: visible ? "uncovered" : "covered" });
  }

  #tell(code: string): void {
    this.#slate.view.webContents.executeJavaScript(code).catch(() => {});
  }
}

/** The deck above does not stay longer for black that is not drawn: the page may have crashed. */
const BLACK_WITHIN_MS = 300;
/** A page that has drawn nothing by then is left as it is, and nothing that covers it stays longer for it. */
const DRAWN_WITHIN_MS = 5_000;

const overSchema = z.enum(["ended", "broken", "replaced"]);

/** House content on the slate's page, by what `renderer/slate` offers. */
function houseStage(contents: WebContents, folder: HouseFolder, isMuted: () => boolean): HouseStage {
  const ask = (code: string): Promise<unknown> => contents.executeJavaScript(code);
  const tell = (code: string) => void ask(code).catch(() => {});
  let cued: number | null = null;
  let watched: number | null = null;
  return {
    async cue(item: HouseItem) {
      const isPage = item.form === "page";
      const url = houseUrl(item.id, folder.entrance(item));
      // Each time it begins as it would in a new browser, and what it keeps does not pile up.
      if (isPage) await contents.session.clearStorageData();
      const source = JSON.stringify({ form: item.form, url, muted: isMuted() });
      const lengthMs = z
        .number()
        .nullable()
        .parse(await ask(`slate.cue(${source})`));
      cued = isPage ? newestFrame(contents) : null;
      return lengthMs;
    },
    async take() {
      const frame = cued;
      if (frame !== null) await drawnIn(contents, frame);
      await ask("slate.take()");
      watched = frame;
    },
    async over() {
      const over = ask("slate.over()").then((how) => overSchema.parse(how));
      // A page that has crashed does not report it.
      const gone = over.catch(() => "replaced" as const);
      return watched === null ? gone : Promise.race([gone, brokenIn(contents, watched, gone)]);
    },
    clear: () => tell("slate.clear()"),
    pause: () => tell("slate.pause()"),
    resume: () => tell("slate.resume()"),
  };
}
