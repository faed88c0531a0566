import type { BaseWindow, Display } from "electron";
import type { Config } from "../player/config/config.ts";
import type { ScreenConfig } from "../player/config/screens.ts";
import type { PageCache } from "../player/media/page-cache.ts";
import { readScreenFacts, screenFile } from "../player/screen/screen-file.ts";
import { creativeHousekeeping } from "./decks/creative-session.ts";
import { MediaDecks } from "./decks/media-decks.ts";
import { type MediaTray, mediaHousekeeping } from "./decks/media-session.ts";
import { SessionPool } from "./decks/session-pool.ts";
import { HouseSlate } from "./house/house-slate.ts";
import { DisplayChoice } from "./sight/displays.ts";
import { Sight } from "./sight/sight.ts";
import { watchSight } from "./sight/watch-sight.ts";
import { openWindow } from "./window.ts";
import type { WindowWatch } from "./x11/window-watch.ts";

/** A window with all that a stage is built of, before there is a player to play on it. */
export interface RaisedStage {
  readonly screenId: string;
  readonly window: BaseWindow;
  /** Null where nothing of it can be known or done but through Electron. */
  readonly outside: WindowWatch | null;
  readonly slate: HouseSlate;
  readonly sight: Sight;
  /** The display it is on, or null where its own is not there. */
  display(): Display | null;
  readonly mediaDecks: MediaDecks;
  readonly creativeSessions: SessionPool<PageCache>;
  /** Resolves when the window is in sight, with the slate in it; where it has a display. */
  readonly inSight: Promise<void>;
}

/** Raises a stage for each screen, on its display as soon and as long as that is there. Electron must be ready. */
export function raiseStages(config: Config): readonly RaisedStage[] {
  const { screens } = config;
  const choice = new DisplayChoice(screens.map(({ display }) => display));
  const displays = choice.current();
  const stages = screens.map((screen, index) => raiseStage(config, screen, displays[index] ?? null, index));
  choice.follow((now) => {
    for (const [index, { move }] of stages.entries()) move(now[index] ?? null);
  });
  return stages;
}

interface MovableStage extends RaisedStage {
  move(display: Display | null): void;
}

/**
 * Opens the window, which comes in sight once the slate is painted, and below the slate a first deck for whatever is to
 * be shown first. `number` keeps what pages store apart from those of other screens.
 */
function raiseStage(
  { dataDir, house }: Config,
  { screenId, display: plan }: ScreenConfig,
  first: Display | null,
  number: number,
): MovableStage {
  const { window, reveal, place } = openWindow(plan, first, number);
  const sight = new Sight();
  sight.note("no display", first === null);
  const outside = watchSight(window, sight);
  const name = readScreenFacts(screenFile(dataDir, screenId))?.title ?? "";
  const slate = new HouseSlate(window, { name, clock: house.clock, number });
  // It was laid where another display may have another size.
  const inSight = slate
    .load()
    .then(reveal)
    .then(() => slate.fit());
  const rooms = (kind: string) => [`${kind}-${number}a`, `${kind}-${number}b`];
  const mediaDecks = new MediaDecks(window, new SessionPool<MediaTray>(rooms("media"), mediaHousekeeping));
  mediaDecks.openAhead();
  const creativeSessions = new SessionPool<PageCache>(rooms("creative"), creativeHousekeeping);
  let on = first;
  const move = (display: Display | null) => {
    // What it showed was not seen in full where it was to be seen.
    if (display !== null && on !== null && display.id !== on.id) sight.interrupt();
    on = display;
    if (display === null) sight.note("no display", true);
    place(display, () => {
      slate.fit();
      sight.note("no display", on === null);
    });
  };
  return { screenId, window, outside, slate, sight, display: () => on, mediaDecks, creativeSessions, inSight, move };
}
