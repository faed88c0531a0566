import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type BaseWindow, type Display, type Session, session, WebContentsView } from "electron";
import type { Config, ScreenConfig } from "../../player/config/config.ts";
import { readScreenFacts, screenFile } from "../../player/screen/screen-watch.ts";
import { creativeSessionReset, type PageOwner } from "../decks/creative-session.ts";
import { presented } from "../decks/deck-content.ts";
import { MediaDecks, mediaSessionReset, type ServedMedia } from "../decks/media-decks.ts";
import { SessionPool } from "../decks/session-pool.ts";
import { HouseSlate } from "../house/house-slate.ts";
import { onGraphicsLost, onGraphicsRestored } from "../recovery/triggers.ts";
import { Visibility, watchVisibility } from "../window/visibility.ts";
import { type DisplayChoice, openWindow, pixelsOf } from "../window/window.ts";
import type { WindowWatch } from "../window/x11-watch.ts";

/** The window of a screen with its slate and sessions: what a stage is created from once there is a player. */
export interface StageWindow {
  readonly screenId: string;
  readonly window: BaseWindow;
  /** The X11 view of the window; null where there is none. */
  readonly outside: WindowWatch | null;
  readonly slate: HouseSlate;
  readonly visibility: Visibility;
  /** The display it is on, or null where its own is not there. */
  display(): Display | null;
  readonly choice: DisplayChoice;
  readonly mediaDecks: MediaDecks;
  readonly creativeSessions: SessionPool<PageOwner>;
  /** Resolves when the window is shown, with the slate in it, where it has a display. */
  readonly windowShown: Promise<void>;
  /** Resolves once it has been visible on a display, however late. */
  readonly visibleOnDisplay: Promise<void>;
}

/** Opens a window for each screen, shown on its display whenever that is connected. Electron must be ready. */
export function createStageWindows(config: Config, choice: DisplayChoice): readonly StageWindow[] {
  const { screens } = config;
  const displays = choice.current();
  const stages = screens.map((screen, index) =>
    createStageWindow(config, screen, choice, displays[index] ?? null, index),
  );
  choice.follow((now) => {
    for (const [index, { move }] of stages.entries()) move(now[index] ?? null);
  });
  return stages;
}

interface MovableStageWindow extends StageWindow {
  move(display: Display | null): void;
}

/**
 * Opens the window, which becomes visible once the slate is painted, and below the slate a first deck for whatever is to
 * be shown first. `number` keeps what pages store apart from those of other screens.
 */
function createStageWindow(
  { dataDir, house }: Config,
  { screenId, display: plan }: ScreenConfig,
  choice: DisplayChoice,
  first: Display | null,
  number: number,
): MovableStageWindow {
  const { window, reveal, place, own } = openWindow(plan, first, number);
  const visibility = new Visibility();
  visibility.note("no display", first === null);
  const outside = watchVisibility(window, visibility, own);
  const name = readScreenFacts(screenFile(dataDir, screenId))?.title ?? "";
  const slate = new HouseSlate(window, { name, clock: house.clock, number });
  // Its display may have another size than the one it was created for.
  const windowShown = slate
    .load()
    .then(reveal)
    .then(() => slate.fit());
  const partitions = (kind: string, letters: string) => [...letters].map((letter) => `${kind}-${number}${letter}`);
  const mediaDecks = new MediaDecks(
    window,
    new SessionPool<ServedMedia>(partitions("media", "ab"), mediaSessionReset, inMemory),
  );
  mediaDecks.openAhead();
  // One on air, one cued, and one that is recorded.
  const creativeSessions = new SessionPool<PageOwner>(partitions("creative", "abc"), creativeSessionReset, inMemory);
  let on = first;
  let onVisible = () => {};
  const visibleOnDisplay = new Promise<void>((resolve) => {
    onVisible = resolve;
  });
  const tellVisible = () => {
    if (on !== null) onVisible();
  };
  void windowShown.then(tellVisible);
  const move = (display: Display | null) => {
    // The item on air was not visible for its whole duration on either display; one that is resized or turned shows a part.
    if (display !== null && on !== null && !isSamePart(display, on)) visibility.interrupt();
    on = display;
    if (display === null) visibility.note("no display", true);
    place(display, () => {
      slate.fit();
      visibility.note("no display", on === null);
      void windowShown.then(tellVisible);
    });
  };
  const parts = { window, choice, outside, slate, visibility, mediaDecks, creativeSessions };
  return { screenId, ...parts, display: () => on, windowShown, visibleOnDisplay, move };
}

/** Whether two are one display that shows the same part of all: for a bar of the desktop's it tells of a change, too. */
function isSamePart(one: Display, other: Display): boolean {
  return one.id === other.id && isDeepStrictEqual(pixelsOf(one), pixelsOf(other));
}

/** Nothing of it reaches the disk: a name without `persist:` lasts as long as the process. */
function inMemory(partition: string): Session {
  return session.fromPartition(partition, { cache: false });
}

/** The longest that the picture is kept still: a GPU process that is not back by then may not come back. */
const MOST_STILL_MS = 2_000;
/** How long after it is drawn a page is visible. */
const VISIBLE_AFTER_MS = 100;

/**
 * Freezes the picture while Chromium's GPU process is gone, since the window would be black, and thaws it once everything
 * is redrawn: clips redraw themselves, and stages load their pages and pictures again.
 */
export function redrawAfterGpuLoss(stages: readonly StageWindow[]): void {
  let losses = 0;
  const thaw = (loss: number) => {
    // After another loss meanwhile, only that one thaws.
    if (loss === losses) for (const { outside } of stages) outside?.thaw();
  };
  onGraphicsLost(() => {
    const loss = ++losses;
    for (const { outside } of stages) outside?.freeze();
    setTimeout(() => thaw(loss), MOST_STILL_MS);
  });
  onGraphicsRestored(() => {
    const loss = losses;
    drawnOnTop(stages)
      .catch(() => {})
      .then(() => thaw(loss));
  });
}

async function drawnOnTop(stages: readonly StageWindow[]): Promise<void> {
  const uppermost = stages.map(({ window }) => window.contentView.children.at(-1));
  await Promise.all(
    uppermost.map((view) => (view instanceof WebContentsView ? presented(view.webContents) : undefined)),
  );
  await sleep(VISIBLE_AFTER_MS);
}
