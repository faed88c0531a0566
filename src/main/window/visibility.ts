import type { BaseWindow } from "electron";
import { type WindowWatch, watchWindow } from "./x11-watch.ts";

/** Why nobody can see a window. */
export type HiddenReason =
  | "no display"
  | "display off"
  | "not shown"
  | "minimized"
  | "unmapped"
  | "covered"
  | "operator overlay";

/** Whether a screen's window can be seen. It can while nothing stands in the way. */
export class Visibility {
  readonly #reasons = new Set<HiddenReason>();
  #listener: (seen: boolean) => void = () => {};

  get clear(): boolean {
    return this.#reasons.size === 0;
  }

  /** What stands in the way now, in words for the log. */
  get hiddenReasons(): readonly HiddenReason[] {
    return [...this.#reasons];
  }

  has(reason: HiddenReason): boolean {
    return this.#reasons.has(reason);
  }

  /** The one who hears when it changes. */
  listen(listener: (seen: boolean) => void): void {
    this.#listener = listener;
  }

  /** Takes in whether a reason is there. */
  note(reason: HiddenReason, there: boolean): void {
    const before = this.clear;
    if (there) this.#reasons.add(reason);
    else this.#reasons.delete(reason);
    if (this.clear !== before) this.#listener(this.clear);
  }

  /** What was in sight until now is no longer, and something else may be at once: the window went to another display. */
  interrupt(): void {
    if (!this.clear) return;
    this.#listener(false);
    this.#listener(true);
  }
}

/** How often a window that somebody hid is brought back: within 5 s, and no fight with a user who insists. */
const BACK_EVERY_MS = 3_000;

/**
 * Notes whatever puts a window out of sight, and brings it back, again and again, wherever it has a display. Returns the
 * watch from outside of Electron, where there is one.
 */
export function watchVisibility(window: BaseWindow, sight: Visibility): WindowWatch | null {
  window.on("minimize", () => sight.note("minimized", true));
  window.on("restore", () => sight.note("minimized", false));
  window.on("hide", () => sight.note("not shown", true));
  window.on("show", () => sight.note("not shown", false));
  const outside = watchFromOutside(window, sight);

  const bringBack = () => {
    if (sight.clear || sight.has("no display") || window.isDestroyed()) return;
    if (sight.has("minimized")) window.restore();
    if (sight.has("not shown")) window.showInactive();
    if (sight.has("unmapped")) outside?.map();
    if (sight.has("covered")) outside?.raise();
  };
  const timer = setInterval(bringBack, BACK_EVERY_MS);
  window.once("closed", () => {
    clearInterval(timer);
    outside?.close();
  });
  return outside;
}

/** X11 tells only those who ask it that a window was withdrawn, or lies below others. */
function watchFromOutside(window: BaseWindow, sight: Visibility): WindowWatch | null {
  const handle = window.getNativeWindowHandle();
  if (process.platform !== "linux" || handle.length < 4) return null;
  return watchWindow(handle.readUInt32LE(), process.env, (event) => {
    switch (event) {
      case "unmapped":
        return sight.note("unmapped", true);
      case "mapped":
        return sight.note("unmapped", false);
      case "covered":
        return sight.note("covered", true);
      case "uncovered":
        return sight.note("covered", false);
      case "gone":
        return;
    }
  });
}
