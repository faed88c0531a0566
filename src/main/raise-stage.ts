import type { BaseWindow, WebContentsView } from "electron";
import type { PageCache } from "../player/page-cache.ts";
import { creativeHousekeeping } from "./creative-session.ts";
import { MediaDecks } from "./media-decks.ts";
import { type MediaTray, mediaHousekeeping } from "./media-session.ts";
import { SessionPool } from "./session-pool.ts";
import { laySlate, type Slate } from "./slate.ts";
import { openWindow, type WindowPlan } from "./window.ts";

/** A window with all that a stage is built of, before there is a player to play on it. */
export interface RaisedStage {
  readonly window: BaseWindow;
  readonly mediaDecks: MediaDecks;
  readonly creativeSessions: SessionPool<PageCache>;
  /** Resolves when there is something to see: an item or the slate. */
  readonly inSight: Promise<void>;
  /** Hears of an item that was painted on top: the slate is laid below it, if it is not there. */
  notePainted(view: WebContentsView): void;
}

/** Where no item is in sight this long after the start, the slate is. */
const SLATE_AFTER_MS = 500;

/**
 * Opens the window, and in it a first deck, black until it is known what it will show. The slate is laid once the first
 * item is in sight or, where that does not come in time, instead of it: two pages that are loaded at once slow down each
 * other. Electron must be ready.
 */
export function raiseStage(plan: WindowPlan): RaisedStage {
  const { window, reveal } = openWindow(plan);
  const mediaDecks = new MediaDecks(window, new SessionPool<MediaTray>(["media-a", "media-b"], mediaHousekeeping));
  void mediaDecks.openAhead().then(reveal);
  let slate: Slate | null = null;
  let noteInSight = () => {};
  const inSight = new Promise<void>((resolve) => {
    noteInSight = resolve;
  });
  const lay = (above: number) => {
    slate ??= laySlate(window, "slate/slate.html", above);
    return slate.load();
  };
  const late = setTimeout(() => {
    void lay(window.contentView.children.length).then(noteInSight);
  }, SLATE_AFTER_MS);

  return {
    window,
    mediaDecks,
    creativeSessions: new SessionPool<PageCache>(["creative-a", "creative-b"], creativeHousekeeping),
    inSight,
    notePainted(view) {
      clearTimeout(late);
      noteInSight();
      void lay(window.contentView.children.indexOf(view));
    },
  };
}
