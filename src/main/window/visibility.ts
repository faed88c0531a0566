import type { BaseWindow } from "electron";
import type { Environment } from "../../player/config/environment.ts";
import { isGnome } from "../../player/display.ts";
import { type Run, runProgram } from "../../player/run-program.ts";
import { SETTLES_WITHIN_MS } from "./placement.ts";
import type { OwnPlace } from "./window.ts";
import { type WatchEvent, type WindowWatch, watchWindow } from "./x11-watch.ts";

/** Why a window is hidden. */
export type HiddenReason =
  | "no display"
  | "display off"
  | "display changed"
  | "not shown"
  | "minimized"
  | "unmapped"
  | "covered"
  | "displaced"
  | "another console"
  | "screen saver"
  | "desktop overview"
  | "locked"
  | "operator overlay";

/** Whether a screen's window is visible: it is while there is no reason why it is hidden. */
export class Visibility {
  /** Each with the program whose doing it is, where one is known. */
  readonly #reasons = new Map<HiddenReason, string | null>();
  #listener: (isVisible: boolean) => void = () => {};

  get isVisible(): boolean {
    return this.#reasons.size === 0;
  }

  /** Why it is hidden now, for the log. */
  get hiddenReasons(): readonly string[] {
    return [...this.#reasons].map(([reason, by]) => (by === null ? reason : `${reason} by ${by}`));
  }

  has(reason: HiddenReason): boolean {
    return this.#reasons.has(reason);
  }

  /** Sets the listener that is called at each change. */
  listen(listener: (isVisible: boolean) => void): void {
    this.#listener = listener;
  }

  /** Notes whether a reason holds, and which program's doing it is. */
  note(reason: HiddenReason, holds: boolean, by: string | null = null): void {
    const before = this.isVisible;
    if (holds) this.#reasons.set(reason, by);
    else this.#reasons.delete(reason);
    if (this.isVisible !== before) this.#listener(this.isVisible);
  }

  /** Ends visibility, and begins it again at once: the window has another display, or that another size. */
  interrupt(): void {
    this.note("display changed", true);
    this.note("display changed", false);
  }
}

/** How often a window that somebody hid is brought back: within 5 s, and no fight with a user who insists. */
const BACK_EVERY_MS = 3_000;

/** What a window manager, or who gives it orders, makes of a window. */
const ORDERED: readonly HiddenReason[] = ["minimized", "unmapped", "covered", "displaced"];
/** So often the window manager is asked to bring it back, before that is done without it. */
const MOST_ASKED = 2;
/**
 * Notes whatever hides a window, and shows it again wherever it has a display. Returns the watch from outside
 * of Electron, where there is one.
 */
export function watchVisibility(window: BaseWindow, visibility: Visibility, own: OwnPlace): WindowWatch | null {
  window.on("minimize", () => visibility.note("minimized", true));
  window.on("restore", () => visibility.note("minimized", false));
  window.on("hide", () => visibility.note("not shown", true));
  window.on("show", () => visibility.note("not shown", false));
  const outside = watchFromOutside(window, visibility, own);
  const desktop = watchDesktop(visibility, process.env);
  let asked = 0;

  const bringBack = () => {
    outside?.look();
    const isOrdered = ORDERED.some((reason) => visibility.has(reason));
    // Without the window manager it was as large as its area, which may be a pixel too little.
    if (!isOrdered && asked > MOST_ASKED) own.settle();
    if (!isOrdered) asked = 0;
    if (visibility.isVisible || visibility.has("no display") || window.isDestroyed()) return;
    if (visibility.has("minimized")) window.restore();
    if (visibility.has("not shown")) window.showInactive();
    if (visibility.has("unmapped")) {
      outside?.map();
      // It may have been put on one of several desktops that is not shown.
      window.setVisibleOnAllWorkspaces(true);
    }
    if (visibility.has("displaced")) own.settle();
    if (visibility.has("screen saver")) outside?.wake();
    if (visibility.has("desktop overview")) desktop?.leaveOverview();
    if (!isOrdered) return;
    if (++asked > MOST_ASKED) outside?.unmanage();
    // As the active window it ends what shows the desktop without windows, too.
    outside?.raise();
  };
  const timer = setInterval(bringBack, BACK_EVERY_MS);
  window.once("closed", () => {
    clearInterval(timer);
    outside?.close();
    desktop?.close();
  });
  return outside;
}

/** X11 tells only those who ask it that a window was withdrawn, lies below others, or is not where it was put. */
function watchFromOutside(window: BaseWindow, visibility: Visibility, own: OwnPlace): WindowWatch | null {
  const handle = window.getNativeWindowHandle();
  if (process.platform !== "linux" || handle.length < 4) return null;
  let displaced: NodeJS.Timeout | undefined;
  const hear = (event: WatchEvent, by: string | null = null) => {
    switch (event) {
      case "unmapped":
        return visibility.note("unmapped", true);
      case "mapped":
        return visibility.note("unmapped", false);
      case "minimized":
        return visibility.note("minimized", true);
      case "restored":
        return visibility.note("minimized", false);
      case "covered":
        return visibility.note("covered", true, by);
      case "uncovered":
        return visibility.note("covered", false);
      case "away":
        return visibility.note("another console", true);
      case "back":
        return visibility.note("another console", false);
      case "saver":
        return visibility.note("screen saver", true);
      case "no saver":
        return visibility.note("screen saver", false);
      case "displaced":
        // One that others moved is so at once.
        if (!own.isSettling()) return visibility.note("displaced", true);
        displaced ??= setTimeout(() => visibility.note("displaced", true), SETTLES_WITHIN_MS);
        return;
      case "in place":
        clearTimeout(displaced);
        displaced = undefined;
        return visibility.note("displaced", false);
      case "gone":
        // Electron does not hear of it, and nothing brings it back: only another start does.
        throw new Error("another program has destroyed the window");
    }
  };
  return watchWindow(handle.readUInt32LE(), process.env, hear, own.area);
}

/** How often GNOME Shell is asked: by its overview, which it opens at each login, it shows all windows small. */
const ASK_EVERY_MS = 1_000;
/** A desktop that calls itself GNOME may have another shell, and GNOME's own may be busy. */
const UNANSWERED_EVERY_MS = 10_000;

/** What a desktop itself shows in front of all windows, under X11 and Wayland. */
export interface DesktopWatch {
  leaveOverview(): void;
  close(): void;
}

/** Asks GNOME Shell on the session's bus until it is closed; null for another desktop. */
export function watchDesktop(visibility: Visibility, env: Environment, run: Run = runProgram): DesktopWatch | null {
  if (!isGnome(env)) return null;
  const shell = ["--session", "--dest", "org.gnome.Shell", "--object-path", "/org/gnome/Shell"];
  const call = (method: string, ...given: readonly string[]) =>
    run("gdbus", [
      "call",
      ...shell,
      "--method",
      `org.freedesktop.DBus.Properties.${method}`,
      "org.gnome.Shell",
      ...given,
    ]);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const ask = async () => {
    const ran = await call("GetAll");
    if (isClosed) return;
    const isAnswered = ran.kind === "ran";
    timer = setTimeout(() => void ask(), isAnswered ? ASK_EVERY_MS : UNANSWERED_EVERY_MS);
    // A shell that is busy or starts anew shows what it showed.
    if (!isAnswered) return;
    visibility.note("desktop overview", ran.output.includes("'OverviewActive': <true>"));
    visibility.note("locked", ran.output.includes("'Mode': <'unlock-dialog'>"));
  };
  void ask();
  return {
    leaveOverview: () => void call("Set", "OverviewActive", "<false>"),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
