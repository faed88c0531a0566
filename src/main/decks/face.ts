import { once } from "node:events";
import type { WebContents } from "electron";

/** What has been presented since a deck was taken. */
interface Progress {
  readonly framesPresented: number;
  /** True when no further frame need come: a still, a page, or a clip that reached its last frame. */
  readonly still: boolean;
}

/** The first frame that anybody sees. */
interface FirstFrame {
  /** Unix epoch milliseconds. */
  readonly at: number;
  /** How long before that a page was begun, in milliseconds; `null` for media, which begin with it. */
  readonly ageMs: number | null;
}

/** What is shown on a deck: our media page or a creative's own page. */
export interface Face {
  /** Resolves when it has come; rejects when it never will. */
  load(): Promise<void>;
  /** Resolves when all of the first picture has been drawn, where nobody sees it. */
  drawn(): Promise<unknown>;
  /** Starts what was drawn, on top by now; resolves when it is in sight. */
  start(): Promise<FirstFrame>;
  progress(): Promise<Progress>;
}

/** Resolves, with its epoch time, after a frame begun after this call has been handed on to be presented. */
export const NEXT_PAINT = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(performance.timeOrigin + performance.now()))))`;

/**
 * Resolves when a frame begun after this call was presented whole. An animation frame says only that it was handed on: its
 * tiles may be rasterised later, and a deck that is raised before that is still empty there. Chromium takes a picture of a
 * whole frame, which is thrown away.
 */
export async function presented({ debugger: protocol }: WebContents): Promise<void> {
  if (!protocol.isAttached()) protocol.attach();
  await protocol.sendCommand("Page.captureScreenshot", { format: "jpeg", quality: 1, optimizeForSpeed: true });
}

/** Our code runs in a world of its own on creative pages, out of reach of their scripts. */
const ISOLATED_WORLD = 999;

/** Runs code in the page, away from its own scripts. */
export async function inIsolation(contents: WebContents, code: string): Promise<unknown> {
  return contents.executeJavaScriptInIsolatedWorld(ISOLATED_WORLD, [{ code }]);
}

/** Resolves when something has come to its end, well or not, and after so long at the latest; at once where it is nothing. */
export function settledWithin(something: Promise<unknown> | undefined, ms: number): Promise<void> {
  const waited = new Promise<void>((resolve) => setTimeout(resolve, ms));
  return Promise.race([something?.then(ignore, ignore), waited]).then(ignore);
}

function ignore(): void {}

/** Chromium's name for a load that another one took the place of. */
const ABORTED = "ERR_ABORTED";

/** Loads a page, and where that goes on to another one by itself, that one. */
export async function load(contents: WebContents, url: string): Promise<void> {
  try {
    await contents.loadURL(url);
  } catch (error) {
    if ((error as { code?: string }).code !== ABORTED) throw error;
    await ended(contents);
  }
}

/** Resolves when the main frame is not loading any more. */
export async function ended(contents: WebContents): Promise<void> {
  while (contents.isLoadingMainFrame()) await once(contents, "did-stop-loading");
}

/**
 * Loads what another page follows. Chromium says that a load finished and, a little later, that loading stopped: where
 * that is heard during the next load, Electron takes it for its end, and for a failure (ERR_FAILED).
 */
export async function loadBefore(contents: WebContents, url: string): Promise<void> {
  await contents.loadURL(url);
  while (contents.isLoading()) await once(contents, "did-stop-loading");
}
