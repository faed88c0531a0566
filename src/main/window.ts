import { BaseWindow, type Display, screen, type WebContentsView } from "electron";

/** Which display, and how much of it (configuration, `display`). */
export interface WindowPlan {
  /** A display's name, or its place counted from the left, from 1. */
  readonly match: string | number | null;
  readonly fullscreen: boolean;
  readonly width: number | null;
  readonly height: number | null;
}

const UNFILLED = { width: 1280, height: 720 };

/** Opens the stage's frameless window on the chosen display, black and not yet shown. */
export function openWindow(plan: WindowPlan): BaseWindow {
  const { bounds } = displayFor(plan.match);
  const size = { width: plan.width ?? UNFILLED.width, height: plan.height ?? UNFILLED.height };
  const window = new BaseWindow({
    // Without a window manager nobody makes the window as large as the display, and X11 windows of just that size
    // are made a pixel smaller: so it is a pixel larger, and `fill` keeps to what can be seen.
    ...(plan.fullscreen ? { ...bounds, width: bounds.width + 1, height: bounds.height + 1 } : { ...bounds, ...size }),
    fullscreen: plan.fullscreen,
    title: "Spotloop",
    show: false,
    frame: false,
    resizable: !plan.fullscreen,
    backgroundColor: "#000000",
    autoHideMenuBar: true,
  });
  window.setMenu(null);
  return window;
}

/** Makes a view as large as the part of the window that is on the display. */
export function fill(window: BaseWindow, view: WebContentsView): void {
  const content = window.getContentBounds();
  const { width, height } = window.isFullScreen() ? screen.getDisplayMatching(content).bounds : content;
  view.setBounds({ x: 0, y: 0, width, height });
}

/** The display that was asked for; the primary one where that is not there. */
function displayFor(match: string | number | null): Display {
  const fromLeft = screen.getAllDisplays().sort((one, other) => one.bounds.x - other.bounds.x);
  const found = fromLeft.find((display, index) => display.label === match || String(index + 1) === String(match));
  return found ?? screen.getPrimaryDisplay();
}
