import { app, BaseWindow, type Display, type Rectangle, screen, type WebContentsView } from "electron";
import type { Area, Size } from "../../core/displays/page-layout.ts";
import { isGnome, isWayland } from "../../player/display.ts";
import {
  boundsOn,
  type Displays,
  displaysFor,
  isMatch,
  type OverhangPlace,
  overhangIn,
  realDisplays,
  SETTLES_WITHIN_MS,
  type WindowPlan,
} from "./placement.ts";
import { type ShownOutput, watchOutputs } from "./x11-outputs.ts";

/** A stage's window, which is hidden until it is revealed, and whenever it has no display. */
export interface PlacedWindow {
  readonly window: BaseWindow;
  /** Shows it, once there is something in it to see. */
  reveal(): void;
  /** Puts it on a display, as large as the display is now, and says when it is there; on none it is not to be seen. */
  place(display: Display | null, onPlaced: () => void): void;
  readonly own: OwnPlace;
}

/** Where a window belongs. */
export interface OwnPlace {
  /** What it is to fill now, in pixels of all displays; null while it has no place of its own choice, or none yet. */
  area(): Rectangle | null;
  /** Puts it there again. */
  settle(): void;
  /** Whether it was put somewhere just now, so that it may be on its way. */
  isSettling(): boolean;
}

/**
 * Opens a stage's frameless window for its display. It is on, but for a pixel beyond every display's edge, until `reveal`:
 * X11 paints a new window in the desktop theme's own colour for as long as the graphics take to start. By its `number` it
 * is told from others there, so that none covers another. One that is fitted by the desktop is on its display at once.
 */
export function openWindow(plan: WindowPlan, first: Display | null, number = 0): PlacedWindow {
  let display = first;
  let revealed = false;
  let isComingBack = false;
  let settledAt = Number.NEGATIVE_INFINITY;
  const isFitted = plan.fullscreen && isFittedByDesktop();
  const beyond = () => (isFittedByDesktop() ? {} : beyondDisplays(number));
  const boundsHere = (on: Display) => {
    return isFitted ? on.bounds : boundsOn(plan, on, screen.getAllDisplays());
  };
  const window = new BaseWindow({
    ...(display === null ? {} : boundsHere(display)),
    ...beyond(),
    fullscreen: isFitted,
    show: display !== null,
    title: "Spotloop",
    frame: false,
    resizable: !plan.fullscreen,
    enableLargerThanScreen: true,
    backgroundColor: "#000000",
  });
  window.setMenu(null);
  // A window manager closes windows by keys of its own: this one would leave the player without a place to play.
  window.on("close", (event) => event.preventDefault());
  if (plan.fullscreen) window.setAlwaysOnTop(true, "screen-saver");
  // By a key, or a turn of the mouse's wheel, window managers show another desktop.
  window.setVisibleOnAllWorkspaces(true);

  const settle = () => {
    settledAt = performance.now();
    if (display === null) return window.hide();
    // A window manager keeps one that it was told to maximize as large as that.
    if (window.isMaximized()) window.unmaximize();
    // One that is fitted, too: what cannot be resized does not follow a display that is turned.
    window.setBounds(boundsHere(display));
    if (isFitted && !window.isFullScreen()) window.setFullScreen(true);
  };
  /** As a new one, a window that was hidden is empty at first. */
  const comeBack = (on: Display, onPlaced: () => void) => {
    window.setBounds({ ...boundsHere(on), ...beyond() });
    window.showInactive();
    isComingBack = true;
    setTimeout(() => {
      isComingBack = false;
      if (display === null) return;
      settle();
      onPlaced();
    }, DRAWS_WITHIN_MS);
  };
  return {
    window,
    reveal() {
      revealed = true;
      settle();
      if (display !== null && !window.isVisible()) window.showInactive();
    },
    place(on, onPlaced) {
      display = on;
      if (revealed && on !== null && !window.isVisible()) return comeBack(on, onPlaced);
      if (revealed) settle();
      onPlaced();
    },
    own: {
      area() {
        const isFilled = plan.fullscreen && !isWaylandHere() && revealed && !isComingBack;
        return display === null || !isFilled ? null : pixelsOf(display);
      },
      settle,
      isSettling: () => performance.now() - settledAt < SETTLES_WITHIN_MS,
    },
  };
}

/**
 * Whether windows are made full screen, and no larger, by whoever manages them: under Wayland, where they have no place of
 * their own choice, and by GNOME, which puts what is larger below its bar.
 */
export function isFittedByDesktop(): boolean {
  return isWaylandHere() || isGnome(process.env);
}

function isWaylandHere(): boolean {
  return isWayland(process.env, process.argv);
}

/** The part of all displays together that is this one, in pixels where the system counts displays by them, as X11 does. */
export function pixelsOf({ bounds, size, scaleFactor, nativeOrigin }: Display): Rectangle {
  const { x, y } = nativeOrigin ?? bounds;
  return { x, y, width: Math.round(size.width * scaleFactor), height: Math.round(size.height * scaleFactor) };
}

/** Chromium's switch by which views draw that others cover. */
export const DRAW_COVERED = "disable-backgrounding-occluded-windows";

/** A window that is shown again has drawn what is in it by then. */
const DRAWS_WITHIN_MS = 500;

/** The part of a window that fits its display, in the display's pixels. */
export function visiblePart(window: BaseWindow): Size {
  const content = window.getContentBounds();
  const { bounds } = screen.getDisplayMatching(content);
  return { width: Math.min(content.width, bounds.width), height: Math.min(content.height, bounds.height) };
}

/** Makes a view as large as the part of the window that fits its display. */
export function fill(window: BaseWindow, view: WebContentsView): void {
  view.setBounds({ x: 0, y: 0, ...visiblePart(window) });
}

/** Where a view of a size lies below others so that it draws, at its own place among those that do. */
export function overhanging(window: BaseWindow, size: Size, place: OverhangPlace): Area {
  return overhangIn(window.getContentBounds(), visiblePart(window), size, place);
}

/** Whether a view below others draws: it sticks out of the window's display, or is taken for one that can be seen. */
export function canDrawBelow(window: BaseWindow): boolean {
  if (app.commandLine.hasSwitch(DRAW_COVERED)) return true;
  const content = window.getContentBounds();
  const visible = visiblePart(window);
  return content.width > visible.width || content.height > visible.height;
}

/** One pixel stays on the last display: a window that is nowhere is not drawn at all. */
function beyondDisplays(number: number): { x: number; y: number } {
  const [last] = screen
    .getAllDisplays()
    .map(({ bounds }) => ({ x: bounds.x + bounds.width - 1, y: bounds.y + bounds.height - 1 - number }))
    .sort((one, other) => other.x - one.x);
  return last ?? { x: 0, y: 0 };
}

/** The display of each window, kept up to date while displays come, go and change. */
export class DisplayChoice {
  readonly #plans: readonly WindowPlan[];
  #ids: (number | null)[] = [];
  /** What the X server shows its picture on; none where there is no X server, and null where it cannot be asked. */
  #outputs: readonly ShownOutput[] | null = [];
  #onChange: ((displays: readonly (Display | null)[]) => void) | null = null;

  private constructor(plans: readonly WindowPlan[]) {
    this.#plans = plans;
  }

  /** Resolves once the X server, where there is one, has told of its outputs. */
  static async open(plans: readonly WindowPlan[]): Promise<DisplayChoice> {
    const choice = new DisplayChoice(plans);
    if (process.platform !== "linux" || isWaylandHere()) return choice;
    await new Promise<void>((resolve) =>
      watchOutputs(process.env, (outputs) => {
        choice.#know(outputs);
        resolve();
      }),
    );
    return choice;
  }

  /** The display of each plan as of now, null where it is not there. Electron must be ready. */
  current(): readonly (Display | null)[] {
    const chosen = displaysFor(this.#plans, this.#displays(), this.#ids);
    this.#ids = chosen.map((display, index) => display?.id ?? this.#ids[index] ?? null);
    return chosen;
  }

  /** What the X server calls what a display hangs on: of displays that mirror each other several. */
  namesOf(display: Display): readonly string[] {
    const { x, y } = pixelsOf(display);
    return (this.#outputs ?? []).filter((one) => one.x === x && one.y === y).map(({ name }) => name);
  }

  /** Hears them anew whenever one comes, goes, is moved, turned or resized. */
  follow(onChange: (displays: readonly (Display | null)[]) => void): void {
    this.#onChange = onChange;
    onDisplayChange(() => onChange(this.current()));
  }

  /** Whether a display is the one that a plan names, if it names one. */
  isMeant(display: Display, { match }: WindowPlan): boolean {
    return match === null || isMatch(display, match, this.#displays());
  }

  #displays(): Displays<Display> {
    const all = realDisplays(screen.getAllDisplays(), this.#outputs === null || this.#outputs.length > 0);
    const primaryId = screen.getPrimaryDisplay().id;
    return { all, primaryId, isLeftInPlace: isWaylandHere(), namesOf: (display) => this.namesOf(display) };
  }

  #know(outputs: readonly ShownOutput[] | null): void {
    const before = this.#onChange === null ? [] : this.current();
    this.#outputs = outputs;
    if (this.#onChange === null) return;
    const now = this.current();
    if (now.some((display, index) => display?.id !== before[index]?.id)) this.#onChange(now);
  }
}

/** Calls `onChange` whenever a display comes, goes or changes, until the function that it returns is called. */
export function onDisplayChange(onChange: () => void): () => void {
  screen.on("display-added", onChange).on("display-removed", onChange).on("display-metrics-changed", onChange);
  return () => {
    screen.off("display-added", onChange).off("display-removed", onChange).off("display-metrics-changed", onChange);
  };
}
