import { BaseWindow, type Display, type Rectangle, screen, type WebContentsView } from "electron";

/** Which display, and how much of it (configuration, `display`). */
export interface WindowPlan {
  /** A display's name, or its place counted from the left, from 1. */
  readonly match: string | null;
  readonly fullscreen: boolean;
  readonly width: number | null;
  readonly height: number | null;
}

/** The stage's window before it is in sight. */
export interface PreparedWindow {
  readonly window: BaseWindow;
  /** Brings it in sight, once there is something in it to see. */
  reveal(): void;
}

const UNFILLED = { width: 1280, height: 720 };

/**
 * Opens the stage's frameless window for the chosen display. It is on, but for a pixel beyond every display's edge, until `reveal`:
 * X11 paints a new window in the desktop theme's own colour for as long as the graphics take to start.
 */
export function openWindow(plan: WindowPlan): PreparedWindow {
  const place = placeOf(plan);
  const window = new BaseWindow({
    ...place,
    ...beyondDisplays(),
    title: "Spotloop",
    frame: false,
    resizable: !plan.fullscreen,
    enableLargerThanScreen: true,
    backgroundColor: "#000000",
  });
  window.setMenu(null);
  if (plan.fullscreen) window.setAlwaysOnTop(true, "screen-saver");
  return { window, reveal: () => window.setBounds(place) };
}

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
  view.setBounds({ ...view.getBounds(), x: OVERHANG, y: OVERHANG });
}

/** By so many pixels a full-screen window is larger than its display. */
const OVERHANG = 1;

/**
 * A full-screen window is not in the desktop's full-screen mode but as large as the display, and a pixel more: X11
 * windows of just that size are made a pixel smaller, and decks below the one in sight have their overhang.
 */
function placeOf({ match, fullscreen, width, height }: WindowPlan): Rectangle {
  const { bounds } = displayFor(match);
  if (fullscreen) return { ...bounds, width: bounds.width + OVERHANG, height: bounds.height + OVERHANG };
  return { ...bounds, width: width ?? UNFILLED.width, height: height ?? UNFILLED.height };
}

/** One pixel stays on the last display: a window that is nowhere is not drawn at all. */
function beyondDisplays(): { x: number; y: number } {
  const bounds = screen.getAllDisplays().map((display) => display.bounds);
  return {
    x: Math.max(...bounds.map(({ x, width }) => x + width)) - 1,
    y: Math.max(...bounds.map(({ y, height }) => y + height)) - 1,
  };
}

/** The display that was asked for; the primary one where that is not there. */
function displayFor(match: string | null): Display {
  const fromLeft = screen.getAllDisplays().sort((one, other) => one.bounds.x - other.bounds.x);
  const found = fromLeft.find((display, index) => display.label === match || String(index + 1) === match);
  return found ?? screen.getPrimaryDisplay();
}
