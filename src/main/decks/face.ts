import type { WebContents } from "electron";

/** What has been presented since a deck was taken. */
export interface Progress {
  readonly framesPresented: number;
  /** True when no further frame need come: a still, a page, or a clip that reached its last frame. */
  readonly still: boolean;
}

/** What is shown on a deck: our media page or a creative's own page. */
export interface Face {
  /** Resolves when the first picture can be shown at once; rejects when it never will. */
  load(): Promise<void>;
  /** Resolves when the first picture has been drawn, where nobody sees it. */
  drawn(): Promise<unknown>;
  /** Starts what was loaded, on top by now; resolves with the first frame's instant, Unix epoch milliseconds. */
  start(): Promise<number>;
  progress(): Promise<Progress>;
}

/** Resolves, with its epoch time, after a frame begun after this call has been handed on to be presented. */
export const NEXT_PAINT = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(performance.timeOrigin + performance.now()))))`;

/** Our code runs in a world of its own on creative pages, out of reach of their scripts. */
const ISOLATED_WORLD = 999;

/** Runs code in the page, away from its own scripts. */
export async function inIsolation(contents: WebContents, code: string): Promise<unknown> {
  return contents.executeJavaScriptInIsolatedWorld(ISOLATED_WORLD, [{ code }]);
}
