import type { BaseWindow, WebContentsView } from "electron";
import { settledWithin } from "./settled-within.ts";
import { overhang } from "./window.ts";

/** What has drawn nothing out of sight for this long is not waited for: a page may never draw by itself. */
const DRAWN_WITHIN_MS = 300;

/**
 * Lets a view that lies below others draw; resolves when `draw` has, or should have. From then on it sticks out by a pixel,
 * until it is made to fill its window again.
 */
export function drawBelow(window: BaseWindow, view: WebContentsView, draw: () => Promise<unknown>): Promise<void> {
  overhang(window, view);
  return settledWithin(draw(), DRAWN_WITHIN_MS);
}
