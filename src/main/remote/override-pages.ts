import type { BaseWindow } from "electron";
import type { LoopEvent } from "../../core/loop/loop.ts";
import type { SuspendReason } from "../../core/loop/state.ts";
import type { Overrides, Shown } from "../../player/remote/overrides.ts";
import type { PlayingScreen } from "../../player/screen/playing-screen.ts";
import { NEXT_PAINT, settledWithin } from "../decks/deck-content.ts";
import type { HouseSlate } from "../house/house-slate.ts";
import { createSlate, type Slate } from "../house/slate.ts";
import type { Supervision } from "../recovery/supervisor.ts";
import { onGraphicsBack } from "../recovery/triggers.ts";
import type { StageWindow } from "../stage/stage-window.ts";

/** What follows what the operator has put in place of spots. */
export interface Followers {
  readonly overrides: Overrides;
  readonly stages: readonly StageWindow[];
  /** Those that play by now. */
  readonly screens: () => readonly PlayingScreen[];
  readonly supervision: Supervision;
  /** What systemd is told while nothing is put in their place. */
  readonly status: () => string;
}

const OVERRIDES: readonly SuspendReason[] = ["overridden", "switched-off"];

/**
 * Shows on every screen what the operator put in place of spots, from now on: the page becomes visible at the moment in which
 * the item on air is ended, unproved.
 */
export function followOverrides(followers: Followers): void {
  const { overrides, stages } = followers;
  const pages = stages.map(({ window, slate, screenId }, index) => new OverridePage(window, slate, screenId, index));
  let changing: Promise<void> = Promise.resolve();
  const follow = () => {
    changing = changing.then(() => change(pages, followers));
    return changing;
  };
  overrides.listen(follow);
  if (overrides.reasons.length > 0) void Promise.all(stages.map(({ windowShown }) => windowShown)).then(follow);
}

async function change(pages: readonly OverridePage[], followers: Followers): Promise<void> {
  const { overrides, screens, supervision, status } = followers;
  const { shown } = overrides;
  if (shown !== null) await Promise.all(pages.map((page) => page.prepare(shown)));
  const { reasons } = overrides;
  for (const { loop } of screens()) {
    for (const event of differences(loop.state().suspendReasons, reasons)) loop.dispatch(event);
  }
  if (shown === null) for (const page of pages) page.lower();
  else await Promise.all(pages.map((page) => page.raise()));
  if (reasons.length === 0) return supervision.shows(status());
  const isAlive = () => Promise.all(pages.map((page) => page.isAlive()));
  supervision.shows(shown === null ? "displays off by the operator" : `shows the operator's ${shown.kind}`, isAlive);
}

/** What tells a loop how it is suspended by the operator now, where that is otherwise than before. */
function differences(before: readonly SuspendReason[], now: readonly SuspendReason[]): LoopEvent[] {
  return OVERRIDES.filter((because) => before.includes(because) !== now.includes(because)).map((because) => {
    return { kind: now.includes(because) ? "suspend" : "resume", because };
  });
}

/** A page that takes longer to load, or to draw, is raised as it is: then its colour is there first, and its text after. */
const LOADED_WITHIN_MS = 1_000;
const DRAWN_WITHIN_MS = 1_000;

/** As in `renderer/override/override.css`. */
const COLOUR = "#16181d";

/** The page of one screen that lies over everything while the operator has a message or a test card shown. */
class OverridePage {
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
