import type { BaseWindow } from "electron";
import type { Config } from "../player/config/config.ts";
import type { PageCache } from "../player/page-cache.ts";
import { readScreenFacts, screenFile } from "../player/screen-file.ts";
import { creativeHousekeeping } from "./creative-session.ts";
import { HouseSlate } from "./house-slate.ts";
import { MediaDecks } from "./media-decks.ts";
import { type MediaTray, mediaHousekeeping } from "./media-session.ts";
import { SessionPool } from "./session-pool.ts";
import { openWindow } from "./window.ts";

/** A window with all that a stage is built of, before there is a player to play on it. */
export interface RaisedStage {
  readonly window: BaseWindow;
  readonly slate: HouseSlate;
  readonly mediaDecks: MediaDecks;
  readonly creativeSessions: SessionPool<PageCache>;
  /** Resolves when the window is in sight, with the slate in it. */
  readonly inSight: Promise<void>;
}

/**
 * Opens the window, which comes in sight once the slate is painted, and below the slate a first deck for whatever is to
 * be shown first. Electron must be ready.
 */
export function raiseStage({ display, house, dataDir, screenId }: Config): RaisedStage {
  const { window, reveal } = openWindow(display);
  const name = readScreenFacts(screenFile(dataDir, screenId))?.title ?? "";
  const slate = new HouseSlate(window, { name, clock: house.clock });
  const inSight = slate.load().then(reveal);
  const mediaDecks = new MediaDecks(window, new SessionPool<MediaTray>(["media-a", "media-b"], mediaHousekeeping));
  mediaDecks.openAhead();
  const creativeSessions = new SessionPool<PageCache>(["creative-a", "creative-b"], creativeHousekeeping);
  return { window, slate, mediaDecks, creativeSessions, inSight };
}
