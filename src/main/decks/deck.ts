import { isDeepStrictEqual } from "node:util";
import { type BaseWindow, type WebContents, WebContentsView, type WebPreferences } from "electron";
import { layoutPage, type PageLayout } from "../../core/displays/page-layout.ts";
import type { FailureReason } from "../../core/spot.ts";
import { confine, type NavigationRule } from "../guards.ts";
import { type OverhangPlace, SLATE_PLACE } from "../window/placement.ts";
import { fill, overhanging, visiblePart } from "../window/window.ts";
import { loadBefore } from "./deck-content.ts";
import { endPage, watchMemory } from "./deck-watch.ts";
import type { Lease } from "./session-pool.ts";

/** A fresh view for one item, closed with it, so that nothing is left of it. */
export interface Deck {
  readonly contents: WebContents;
  /** Lays the page out at its own size from now on, with black around it (F20). Other decks fill the window. */
  layOut(widthPx: number | null, heightPx: number | null): Promise<void>;
  /** Puts white behind the page; a deck is transparent until then. */
  addWhiteBackground(): void;
  /** Lets it draw below everything visible. */
  hangOut(): void;
  /** Puts it on top of all. */
  raise(): void;
  /** Adapts to a new window size. */
  adapt(): void;
  close(): void;
}

/** Called when a deck's item fails; `detail` is for the log. */
export type OnFailed = (reason: FailureReason, detail: string) => void;

/** What a deck is opened with: a session, and a rule for navigations. */
export interface DeckLease extends Lease {
  readonly rule: (url: string) => NavigationRule;
}

/**
 * Opens a deck on a leased session, below everything visible. `onFailed` is called after a crash or a forbidden action,
 * until the deck is closed.
 */
export function openDeck(window: BaseWindow, lease: DeckLease, onFailed: OnFailed): Deck {
  const webPreferences = preferencesFor(lease);
  const view = new WebContentsView({ webPreferences });
  // Transparent, so that what was there before stays visible until this deck's first frame.
  view.setBackgroundColor("#00000000");
  const contents = view.webContents;
  // A deck below is silent: taking it decides on sound.
  contents.setAudioMuted(true);
  let closed = false;
  const fail: OnFailed = (reason, detail) => {
    if (!closed) onFailed(reason, detail);
  };
  confine(contents, lease.rule, (what) => fail("forbidden", what));
  contents.on("render-process-gone", (_event, { reason }) => fail("crashed", reason));
  contents.on("unresponsive", () => fail("hung", "unresponsive"));
  contents.once("destroyed", () => {
    lease.release();
    // By its own script: nothing else ends it while its deck is open.
    fail("forbidden", "closed itself");
  });
  const stopWatching = watchMemory(contents, (detail) => fail("memory", detail));

  let size: readonly [widthPx: number | null, heightPx: number | null] | null = null;
  let surround: Surround | null = null;
  /** Lost with its frame: a page that is kept apart from others comes in another one, and in newer Chromium each does. */
  let emulated: (Pick<PageLayout, "page" | "scale"> & { readonly frame: string | null }) | null = null;
  /** Whether the first scripts of its page may still run. */
  let isBeginning = false;
  let isRaised = false;
  /** Where it sticks out of the display, or null. */
  let place: OverhangPlace | null = null;
  const views = () => (surround === null ? [view] : [surround.view, view]);

  function adapt(): void {
    const visible = visiblePart(window);
    const { page, area: shownIn, scale } = layoutPage(...(size ?? [null, null]), visible);
    // A page in another frame is emulated from its first drawing on. What its scripts find before is the size of its view.
    const isAsLarge = isBeginning && !isRaised && page.width * page.height <= MOST_BEGUN_PX;
    const area = isAsLarge ? { ...shownIn, ...page } : shownIn;
    // At full size: a page lays out for a window of no width where its view has none.
    view.setBounds(place === null ? area : overhanging(window, area, place));
    if (size === null || contents.isDestroyed()) return;
    // Repeated emulation would lay out and draw again, with the empty background visible until then.
    const next = { page, scale, frame: frameOf(contents) };
    if (!isDeepStrictEqual(emulated, next)) {
      const views = { screenSize: page, viewSize: page, viewPosition: { x: 0, y: 0 } };
      contents.enableDeviceEmulation({ screenPosition: "desktop", deviceScaleFactor: 0, scale, ...views });
      emulated = next;
    }
    if (shownIn.width < visible.width || shownIn.height < visible.height) {
      surround ??= surroundWithBlack(window, webPreferences, isRaised ? view : null, fail);
    }
    if (surround !== null) fill(window, surround.view);
  }

  function begin(now: boolean): void {
    isBeginning = now;
    // A load that closing breaks off comes to its end, too.
    if (!closed) adapt();
  }

  function leavePlace(): void {
    if (place !== null) PLACES_TAKEN.get(window)?.delete(place);
    place = null;
  }

  adapt();
  window.contentView.addChildView(view, 0);

  return {
    contents,
    async layOut(widthPx, heightPx) {
      // Emulation needs a page to begin with, and stays for the one that is loaded next where that comes in its place.
      await loadBefore(contents, BLANK);
      contents.on("did-navigate", (_event, url) => {
        // Of a step back to it Chromium asks nobody.
        if (url === BLANK) return fail("forbidden", "navigation");
        adapt();
      });
      contents.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
        if (isMainFrame && !isSameDocument) begin(true);
      });
      contents.on("dom-ready", () => begin(false));
      // Of an answer without a document that is all there is.
      contents.on("did-stop-loading", () => begin(false));
      size = [widthPx, heightPx];
      begin(true);
      await surround?.isThere;
    },
    addWhiteBackground: () => view.setBackgroundColor("#ffffff"),
    hangOut() {
      place ??= takePlace(window);
      adapt();
    },
    raise() {
      isRaised = true;
      leavePlace();
      for (const one of views()) window.contentView.addChildView(one);
      adapt();
    },
    adapt,
    close() {
      if (closed) return;
      closed = true;
      leavePlace();
      stopWatching();
      for (const one of views()) {
        window.contentView.removeChildView(one);
        // A page that closed itself has left its view without.
        if (one.webContents?.isDestroyed() === false) endPage(one.webContents);
      }
    },
  };
}

const BLANK = "about:blank";

/** Twice as many pixels as a display of 4K has: what is as large as its view would be drawn so, and take as much memory. */
const MOST_BEGUN_PX = 2 * 3840 * 2160;

/** What names the frame that a page is in; one that has crashed is in none. */
function frameOf(contents: WebContents): string | null {
  try {
    const { processId, routingId } = contents.mainFrame;
    return `${processId}.${routingId}`;
  } catch {
    return null;
  }
}

/** Black beside a page that does not fill the display. */
interface Surround {
  readonly view: WebContentsView;
  readonly isThere: Promise<void>;
}

/** Adds black below a raised deck, or else below everything. A view without a page draws nothing. */
function surroundWithBlack(
  window: BaseWindow,
  webPreferences: WebPreferences,
  raised: WebContentsView | null,
  onFailed: OnFailed,
): Surround {
  const view = new WebContentsView({ webPreferences });
  view.setBackgroundColor("#000000");
  window.contentView.addChildView(view, raised === null ? 0 : window.contentView.children.indexOf(raised));
  const { webContents } = view;
  webContents.on("render-process-gone", (_event, { reason }) => onFailed("crashed", reason));
  return { view, isThere: webContents.loadURL(BLANK) };
}

/** Where the decks of each window stick out of the display, so that none covers another there. */
const PLACES_TAKEN = new WeakMap<BaseWindow, Set<OverhangPlace>>();

/** Beside the cued deck there may be one that is recorded and one that is loaded again after its graphics were lost. */
function takePlace(window: BaseWindow): OverhangPlace {
  const taken = PLACES_TAKEN.get(window) ?? new Set();
  PLACES_TAKEN.set(window, taken);
  const free = ([0, 1, 2] as const).find((one) => !taken.has(one)) ?? SLATE_PLACE;
  taken.add(free);
  return free;
}

function preferencesFor({ session }: Lease): WebPreferences {
  return {
    session,
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
  };
}
