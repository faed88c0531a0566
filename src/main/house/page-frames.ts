import type { WebContents, WebFrameMain } from "electron";
import { NEXT_PAINT, settledWithin } from "../decks/deck-content.ts";

// The operator's pages are frames of the slate's page.

/** A page that has drawn nothing for this long after it was loaded is shown as it is. */
const DRAWN_WITHIN_MS = 2_000;
/** How often the operator's page is asked whether it still answers, and how often it may fail to. */
const ALIVE_EVERY_MS = 2_000;
const SILENT_TURNS = 3;

/** The frame that was made last. It keeps its number wherever its page goes, which may change its address at any time. */
export function newestFrame(contents: WebContents): number | null {
  return framesOf(contents).at(-1)?.frameTreeNodeId ?? null;
}

/** Resolves when the page in a frame is drawn, or should be: one in another process is loaded before that. */
export function drawnIn(contents: WebContents, frame: number): Promise<void> {
  return settledWithin(frameOf(contents, frame)?.executeJavaScript(NEXT_PAINT), DRAWN_WITHIN_MS);
}

/** Resolves when the page in a frame hangs or has crashed, which Chromium does not report for frames, unless `over` does before. */
export function brokenIn(contents: WebContents, frame: number, over: Promise<unknown>): Promise<"broken"> {
  return new Promise((resolve) => {
    let silent = 0;
    const timer = setInterval(() => {
      silent++;
      if (silent > SILENT_TURNS) return end();
      const answered = frameOf(contents, frame)?.executeJavaScript("0");
      answered?.then(
        () => {
          silent = 0;
        },
        () => {},
      );
    }, ALIVE_EVERY_MS);
    const end = () => {
      clearInterval(timer);
      resolve("broken");
    };
    void over.then(() => clearInterval(timer));
  });
}

function frameOf(contents: WebContents, number: number): WebFrameMain | undefined {
  return framesOf(contents).find((frame) => !frame.isDestroyed() && frame.frameTreeNodeId === number);
}

/** None while the slate's own process is gone: Electron throws then. */
function framesOf(contents: WebContents): readonly WebFrameMain[] {
  try {
    return contents.mainFrame.frames;
  } catch {
    return [];
  }
}
