import type { WebContents } from "electron";

/** How often a page that is not on air yet is asked whether it answers. */
const TURN_MS = 1_000;
/** One that has not answered for this many turns hangs. Decent pages are busy for a while when they begin: 4 s. */
const HUNG_TURNS = 4;

/**
 * Watches a page from its loading until it is taken, and says so once when it hangs: it would hang each time, so that is
 * held against it, unlike slow servers. The function it returns ends the watch.
 */
export function watchLoading(contents: WebContents, onHung: (detail: string) => void): () => void {
  let asking = false;
  let silentTurns = 0;
  const timer = setInterval(() => {
    if (contents.isDestroyed()) return clearInterval(timer);
    silentTurns = asking ? silentTurns + 1 : 0;
    if (silentTurns >= HUNG_TURNS) {
      clearInterval(timer);
      return onHung(`no answer for ${HUNG_TURNS * TURN_MS} ms before it was due`);
    }
    if (!asking) void ask();
  }, TURN_MS);

  async function ask(): Promise<void> {
    asking = true;
    try {
      // Unlike `executeJavaScript` of the contents this does not wait for the end of loading. A page cannot change what a
      // literal means.
      await contents.mainFrame.executeJavaScript("0");
    } catch {
      // The page is gone, or between two documents: its deck hears of the one, the next turn asks after the other.
    }
    asking = false;
  }

  return () => clearInterval(timer);
}
