import { BaseWindow, type Display, screen, type WebContentsView } from "electron";
import { boundsOn, OVERHANG, type WindowPlan } from "./sight/placement.ts";

/** A stage's window, which is out of sight until it is revealed, and whenever it has no display. */
export interface StageWindow {
  readonly window: BaseWindow;
  /** Brings it in sight, once there is something in it to see. */
  reveal(): void;
  /** Puts it on a display, as large as the display is now, and says when it is there; on none it is not to be seen. */
  place(display: Display | null, onPlaced: () => void): void;
}

/**
 * Opens a stage's frameless window for its display. It is on, but for a pixel beyond every display's edge, until `reveal`:
 * X11 paints a new window in the desktop theme's own colour for as long as the graphics take to start. By its `number` it
 * is told from others there, so that none covers another.
 */
export function openWindow(plan: WindowPlan, first: Display | null, number = 0): StageWindow {
  let display = first;
  let revealed = false;
  const window = new BaseWindow({
    ...(display === null ? {} : boundsOn(plan, display, screen.getAllDisplays())),
    ...beyondDisplays(number),
    show: display !== null,
    title: "Spotloop",
    frame: false,
    resizable: !plan.fullscreen,
    enableLargerThanScreen: true,
    backgroundColor: "#000000",
  });
  window.setMenu(null);
  if (plan.fullscreen) window.setAlwaysOnTop(true, "screen-saver");

  const settle = () => {
    if (display === null) return window.hide();
    window.setBounds(boundsOn(plan, display, screen.getAllDisplays()));
  };
  /** As a new one, a window that was hidden is empty at first. */
  const comeBack = (on: Display, onPlaced: () => void) => {
    window.setBounds({ ...boundsOn(plan, on, screen.getAllDisplays()), ...beyondDisplays(number) });
    window.showInactive();
    setTimeout(() => {
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
  };
}

/** A window that is shown again has drawn what is in it by then. */
const DRAWS_WITHIN_MS = 500;

/** Makes a view as large as the part of the window that fits its display. */
export function fill(window: BaseWindow, view: WebContentsView): void {
  const content = window.getContentBounds();
  const { bounds } = screen.getDisplayMatching(content);
  const width = Math.min(content.width, bounds.width);
  const height = Math.min(content.height, bounds.height);
  view.setBounds({ x: 0, y: 0, width, height });
}

/**
 * Lets a view below others stick out by a pixel, where the window sticks out of the display. Chromium draws nothing of a
 * view that is covered whole; of one that is not it draws all.
 */
export function overhang(window: BaseWindow, view: WebContentsView): void {
  fill(window, view);
  const content = window.getContentBounds();
  const { width, height } = view.getBounds();
  const x = content.width > width ? OVERHANG : 0;
  const y = content.height > height ? OVERHANG : 0;
  // A window that fits its display, as one that is no full-screen window, has no edge to spare.
  view.setBounds({ x: x + y === 0 ? OVERHANG : x, y: x + y === 0 ? OVERHANG : y, width, height });
}

/** One pixel stays on the last display: a window that is nowhere is not drawn at all. */
function beyondDisplays(number: number): { x: number; y: number } {
  const [last] = screen
    .getAllDisplays()
    .map(({ bounds }) => ({ x: bounds.x + bounds.width - 1, y: bounds.y + bounds.height - 1 - number }))
    .sort((one, other) => other.x - one.x);
  return last ?? { x: 0, y: 0 };
}
