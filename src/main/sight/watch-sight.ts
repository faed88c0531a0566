import type { BaseWindow } from "electron";
import { type WindowWatch, watchWindow } from "../x11/window-watch.ts";
import type { Sight } from "./sight.ts";

/** How often a window that somebody put out of sight is brought back: soon, and no fight with whoever insists. */
const BACK_EVERY_MS = 5_000;

/**
 * Notes whatever puts a window out of sight, and brings it back, again and again, wherever it has a display. Returns the
 * watch from outside of Electron, where there is one.
 */
export function watchSight(window: BaseWindow, sight: Sight): WindowWatch | null {
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
    if (sight.has("covered")) window.moveTop();
  };
  const timer = setInterval(bringBack, BACK_EVERY_MS);
  window.once("closed", () => {
    clearInterval(timer);
    outside?.close();
  });
  return outside;
}

/** X11 tells only those who ask it that a window was withdrawn or covered by others. */
function watchFromOutside(window: BaseWindow, sight: Sight): WindowWatch | null {
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
