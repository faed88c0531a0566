import { type BaseWindow, WebContentsView } from "electron";
import type { FailureReason } from "../../core/playout.ts";
import { confine } from "../guards/contents.ts";
import { fill } from "../window.ts";
import { watchMemory } from "./memory-watch.ts";
import type { Lease } from "./session-pool.ts";

/** A fresh view for one item: made, shown and closed with it, so that nothing is left of it. */
export interface Deck {
  readonly view: WebContentsView;
  close(): void;
}

/** Hears of what ends a deck's item, and why in words for the log. */
export type OnFailed = (reason: FailureReason, detail: string) => void;

/** What a deck is made for: a session, and which navigations are its own loading. */
export interface DeckLease extends Lease {
  readonly stay: (url: string) => boolean;
}

/** A renderer that has not gone this long after its deck was closed is killed. */
const GONE_WITHIN_MS = 2_000;

/**
 * Makes a deck on a leased session, below everything in sight. `onFailed` hears of a crash or of something forbidden,
 * until it is closed.
 */
export function openDeck(window: BaseWindow, lease: DeckLease, onFailed: OnFailed): Deck {
  const view = new WebContentsView({
    webPreferences: {
      session: lease.session,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      disableDialogs: true,
      spellcheck: false,
      enableWebSQL: false,
      autoplayPolicy: "no-user-gesture-required",
      backgroundThrottling: false,
      devTools: false,
    },
  });
  // Transparent, so that what was there before stays in sight until this deck's first paint.
  view.setBackgroundColor("#00000000");
  const contents = view.webContents;
  // Not a sound from below: whoever takes the deck decides.
  contents.setAudioMuted(true);
  let closed = false;
  const fail: OnFailed = (reason, detail) => {
    if (!closed) onFailed(reason, detail);
  };
  confine(contents, lease.stay, (what) => fail("forbidden", what));
  contents.on("render-process-gone", (_event, { reason }) => fail("crashed", reason));
  contents.on("unresponsive", () => fail("hung", "unresponsive"));
  contents.once("destroyed", () => lease.release());
  const stopWatching = watchMemory(contents, (detail) => fail("memory", detail));
  // At full size: elsewhere or smaller a page lays out for a window of no width.
  fill(window, view);
  window.contentView.addChildView(view, 0);

  return {
    view,
    close() {
      if (closed) return;
      closed = true;
      stopWatching();
      window.contentView.removeChildView(view);
      const pid = contents.isDestroyed() ? 0 : contents.getOSProcessId();
      contents.close({ waitForBeforeUnload: false });
      setTimeout(() => ensureGone(contents.isDestroyed() ? 0 : pid), GONE_WITHIN_MS);
    },
  };
}

function ensureGone(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went in the meantime.
  }
}
