import type { WebContents } from "electron";
import { TURN_MS, watchAnswers } from "./answer-watch.ts";

/** One that has not answered for this many turns hangs. Decent pages are busy for a while when they begin: 4 s. */
const HUNG_TURNS = 4;

/**
 * Watches a page from its loading until it is taken, and says so once when it hangs: it would hang each time, so that is
 * held against it, unlike slow servers. The function it returns ends the watch.
 */
export function watchLoading(contents: WebContents, onHung: (detail: string) => void): () => void {
  async function ask(): Promise<boolean> {
    if (contents.isDestroyed()) return false;
    try {
      // Unlike `executeJavaScript` of the contents this does not wait for the end of loading. A page cannot change what a
      // literal means.
      await contents.mainFrame.executeJavaScript("0");
    } catch {
      // The page is gone, or between two documents: its deck hears of the one, the next turn asks after the other.
    }
    return true;
  }

  return watchAnswers(ask, HUNG_TURNS, () => {
    if (!contents.isDestroyed()) onHung(`no answer for ${HUNG_TURNS * TURN_MS} ms before it was due`);
  });
}
