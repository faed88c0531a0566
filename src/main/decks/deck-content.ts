import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebContents } from "electron";
import { z } from "zod";

/** What has been presented since a deck was taken. */
interface Progress {
  readonly framesPresented: number;
  /** True when no further frame need come: a still, a page, or a clip that reached its last frame or is between two. */
  readonly still: boolean;
}

/** The first visible frame. */
interface FirstFrame {
  /** Unix epoch milliseconds. */
  readonly at: number;
  /** The page's age then, in milliseconds since its loading began; `null` for media. */
  readonly ageMs: number | null;
}

/** The content of a deck: our media page with a picture or clip, or a creative's own page. */
export interface DeckContent {
  /** Resolves when it is loaded; rejects when it cannot be. */
  load(): Promise<void>;
  /** Resolves when its whole first picture is drawn, still hidden. */
  drawn(): Promise<unknown>;
  /** Starts it once its deck is on top; resolves with its first visible frame. */
  start(): Promise<FirstFrame>;
  progress(): Promise<Progress>;
}

/** Resolves when the next frame has been submitted for presentation, with the time of that, epoch milliseconds. */
export const NEXT_PAINT = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(performance.timeOrigin + performance.now()))))`;

/**
 * Resolves when the next frame is completely rasterised. An animation frame only says that the frame was submitted: tiles
 * rasterised later would be empty in a deck that is raised now. A screenshot waits for all tiles; it is thrown away.
 */
export async function presented({ debugger: protocol }: WebContents): Promise<void> {
  if (!protocol.isAttached()) protocol.attach();
  await protocol.sendCommand("Page.captureScreenshot", { format: "jpeg", quality: 1, optimizeForSpeed: true });
}

/** A point of a page, in CSS pixels. */
export const pointSchema = z.object({ x: z.number(), y: z.number() });

/** What is transparent for so long, and in so many looks, is so by itself: on a busy machine one look may take all that time. */
const TRANSPARENT_MS = 300;
const LEAST_LOOKS = 10;
const LOOK_EVERY_MS = 15;
/** Of the four bytes of a pixel. */
const ALPHA = 3;

/**
 * Resolves when something is drawn at a point of a page without a background. A clip is drawn apart from its page, which
 * hears when the clip's picture is decoded: on a busy machine the page itself is drawn some frames before that picture.
 */
export async function drawnAt(contents: WebContents, point: z.infer<typeof pointSchema>): Promise<void> {
  const until = performance.now() + TRANSPARENT_MS;
  for (let looks = 0; looks < LEAST_LOOKS || performance.now() < until; looks++) {
    // Nothing is captured of a page that has never been drawn, or whose graphics were lost just now.
    const pixel = await contents.capturePage({ ...point, width: 1, height: 1 }).catch(() => null);
    const alpha = pixel?.toBitmap()[ALPHA] ?? 0;
    if (alpha !== 0) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** On creative pages our code runs in a JavaScript world of its own, which their scripts cannot reach. */
const ISOLATED_WORLD = 999;

/** Runs code in the page, away from its own scripts. */
export async function inIsolation(contents: WebContents, code: string): Promise<unknown> {
  return contents.executeJavaScriptInIsolatedWorld(ISOLATED_WORLD, [{ code }]);
}

/** Resolves when a promise has settled, either way, and after `ms` at the latest; at once for `undefined`. */
export function settledWithin(something: Promise<unknown> | undefined, ms: number): Promise<void> {
  const waited = new Promise<void>((resolve) => setTimeout(resolve, ms));
  return Promise.race([something?.then(ignore, ignore), waited]).then(ignore);
}

function ignore(): void {}

/** Chromium's error for a load that another load replaced. */
const ABORTED = "ERR_ABORTED";

/** Loads a page; where it navigates on by itself, resolves when the last page is loaded. */
export async function load(contents: WebContents, url: string): Promise<void> {
  try {
    await contents.loadURL(url);
  } catch (error) {
    if ((error as { code?: string }).code !== ABORTED) throw error;
    await ended(contents);
  }
}

/** Resolves when the main frame has stopped loading. */
export async function ended(contents: WebContents): Promise<void> {
  while (contents.isLoadingMainFrame()) await once(contents, "did-stop-loading");
}

/**
 * Loads a page that another load follows at once. Chromium reports that a load finished and, a little later, that loading
 * stopped. If the next load has begun by then, Electron takes it for that load's end, and for a failure (ERR_FAILED).
 */
export async function loadBefore(contents: WebContents, url: string): Promise<void> {
  await contents.loadURL(url);
  while (contents.isLoading()) await once(contents, "did-stop-loading");
}
