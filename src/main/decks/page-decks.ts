import { setTimeout as sleep } from "node:timers/promises";
import type { BaseWindow } from "electron";
import { leadMs, needsRecording } from "../../core/media/page-lead.ts";
import type { FailureReason, Instant, Item, Playout, PlayoutId } from "../../core/spot.ts";
import type { Clock } from "../../player/clock.ts";
import type { MediaRequest } from "../../player/media/download.ts";
import type { PageLoadBook } from "../../player/media/page-books.ts";
import type { PageCache } from "../../player/media/page-cache.ts";
import type { Recording } from "../../player/screen/stage.ts";
import { canDrawBelow } from "../window/window.ts";
import { type PageOwner, ruleMove } from "./creative-session.ts";
import { type Deck, type OnFailed, openDeck } from "./deck.ts";
import { putBehind, watchLoading } from "./deck-watch.ts";
import { loadAndDraw, type OpenedDeck } from "./media-decks.ts";
import { pageContent } from "./page-content.ts";
import type { SessionPool } from "./session-pool.ts";

/** What pages are opened with. */
export interface PageDeckParts {
  readonly window: BaseWindow;
  readonly clock: Clock;
  readonly sessions: SessionPool<PageOwner>;
  readonly loads: PageLoadBook;
  /** How long a page may load. */
  readonly withinMs: number;
  openPage(document: MediaRequest): PageCache;
}

/** Why a page could not be loaded, and what there is to say about it. */
interface Failed {
  readonly kind: "failed";
  readonly reason: FailureReason;
  readonly detail: string;
}

/** What becomes of recording a page. */
type PageRecording = Extract<Recording, { readonly kind: "recorded" }> | Failed;

/** How one load in the background ended. */
type Rehearsal =
  | { readonly kind: "loaded"; readonly tookMs: number; readonly neededNetwork: boolean }
  /** The load goes on as the one that is shown. */
  | { readonly kind: "taken" }
  | Failed;

/** A deck with a page, and the page's way to the cache. */
interface OpenPage extends OpenedDeck {
  readonly owner: PageOwner;
}

/** A load that is under way. */
interface Loading {
  readonly page: OpenPage;
  readonly begunAt: Instant;
  /** Resolves when it is loaded and drawn. */
  readonly loaded: Promise<void>;
}

/** Opens decks for creatives that are pages. */
export class PageDecks {
  readonly #parts: PageDeckParts;
  /** Hands over the background load of a playout. */
  readonly #rehearsals = new Map<PlayoutId, (onFailed: OnFailed) => Loading>();

  /** Resolves when no page is being recorded. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(parts: PageDeckParts) {
    this.#parts = parts;
  }

  /**
   * Opens a deck for a page that is to be shown: the one that records it, while that is under way, else a new one. Its
   * `load` rejects where the page lacks what it needs (F23).
   */
  async open({ id, item }: Playout, digest: string, onFailed: OnFailed): Promise<OpenedDeck> {
    const { clock } = this.#parts;
    const takeOver = this.#rehearsals.get(id);
    const loading = takeOver === undefined ? await this.#load(item, onFailed) : takeOver(onFailed);
    const { page, begunAt, loaded } = loading;
    const { deck, content, owner } = page;
    const stopWatching = watchLoading(deck.contents, (detail) => onFailed("hung", detail));
    let isDrawn = false;
    const load = async () => {
      await loaded;
      isDrawn = true;
      if (!owner.page.neededNetwork()) this.#note(item, digest, clock.now() - begunAt);
    };
    const start = () => {
      stopWatching();
      return content.start();
    };
    const close = () => {
      deck.close();
      // A page that was given up counts as drawn just now, so that it is loaded earlier the next time.
      const tookMs = clock.now() - begunAt;
      if (!isDrawn && tookMs > this.#leadMs(item)) this.#note(item, digest, tookMs);
    };
    return { deck: { ...deck, close }, content: { ...content, load, drawn: () => Promise.resolve(), start } };
  }

  /**
   * Shows none of the loads that are under way in the background: they began before the graphics were lost, and Chromium
   * would not draw all of them.
   */
  showNoneUnderWay(): void {
    this.#rehearsals.clear();
  }

  /**
   * Loads a page in the background and throws it away, so that all its parts are in the cache, unless that was done lately.
   * After a load that needed the network it is loaded once more, to measure how long it takes from the cache (F22).
   */
  async record(playout: Playout, digest: string, signal: AbortSignal): Promise<PageRecording> {
    // One at a time: the item on air has to be drawn, too.
    const before = this.#recorded;
    let over = () => {};
    this.#recorded = new Promise((resolve) => {
      over = resolve;
    });
    await before;
    try {
      return await this.#record(playout, digest, signal);
    } finally {
      over();
    }
  }

  async #record(playout: Playout, digest: string, signal: AbortSignal): Promise<PageRecording> {
    const { loads, clock } = this.#parts;
    const { item } = playout;
    if (!signal.aborted && needsRecording(loads.find(item), digest, clock.wall())) {
      let rehearsal = await this.#rehearse(playout, signal);
      if (rehearsal.kind === "loaded" && rehearsal.neededNetwork) rehearsal = await this.#rehearse(playout, signal);
      if (rehearsal.kind === "failed") return rehearsal;
      if (rehearsal.kind === "loaded") loads.record(item, digest, rehearsal.tookMs);
    }
    return { kind: "recorded", leadMs: this.#leadMs(item) };
  }

  #leadMs(item: Item): number {
    return leadMs(this.#parts.loads.find(item), this.#parts.withinMs);
  }

  #note(item: Item, digest: string, tookMs: number): void {
    this.#parts.loads.note(item, digest, tookMs);
  }

  async #rehearse({ id, item }: Playout, signal: AbortSignal): Promise<Rehearsal> {
    const { clock, withinMs } = this.#parts;
    let end: (rehearsal: Rehearsal) => void = () => {};
    const ended = new Promise<Rehearsal>((resolve) => {
      end = resolve;
    });
    let onFailed: OnFailed = (reason, detail) => end({ kind: "failed", reason, detail });
    const callOff = () => onFailed("unfetchable", "not wanted any more");
    const loading = await this.#load(item, (reason, detail) => onFailed(reason, detail));
    const { page, begunAt, loaded } = loading;
    const stopWatching = watchLoading(page.deck.contents, (detail) => onFailed("hung", detail));
    const late = setTimeout(() => onFailed("not-ready", `not loaded within ${withinMs} ms`), withinMs);
    signal.addEventListener("abort", callOff);
    this.#rehearsals.set(id, (hear) => {
      onFailed = hear;
      end({ kind: "taken" });
      return loading;
    });
    loaded.then(
      async () => {
        const tookMs = clock.now() - begunAt;
        if (page.owner.page.neededNetwork()) await quiet(page.owner);
        end({ kind: "loaded", tookMs, neededNetwork: page.owner.page.neededNetwork() });
      },
      (error: unknown) => end({ kind: "failed", reason: "load-failed", detail: String(error) }),
    );
    if (signal.aborted) callOff();
    const rehearsal = await ended;
    this.#rehearsals.delete(id);
    signal.removeEventListener("abort", callOff);
    clearTimeout(late);
    stopWatching();
    if (rehearsal.kind !== "taken") page.deck.close();
    return rehearsal;
  }

  async #load(item: Item, onFailed: OnFailed): Promise<Loading> {
    const { window, clock } = this.#parts;
    const page = await this.#open(item, onFailed);
    const loaded = loadAndDraw(page, () => canDrawBelow(window)).then(() => {
      page.owner.moves = null;
      assertWhole(page.owner.page);
    });
    // Those who wait for `loaded` see the failure.
    loaded.catch(() => {});
    return { page, begunAt: clock.now(), loaded };
  }

  async #open(item: Item, onFailed: OnFailed): Promise<OpenPage> {
    const { window, sessions, openPage } = this.#parts;
    const { url } = item;
    const owner: PageOwner = {
      page: openPage(item),
      documentUrl: url,
      redirectedTo: null,
      underWay: 0,
      cookies: 0,
      moves: 0,
    };
    const { session, release } = await sessions.lease(owner);
    const lease = {
      session,
      rule: (target: string) => ruleMove(target, url, owner, deck?.contents.getURL() || url),
      release() {
        owner.page.close(owner.moves === null);
        release();
      },
    };
    let deck: Deck | null = null;
    deck = openDeck(window, lease, onFailed);
    putBehind(deck.contents);
    return { deck, content: pageContent(deck, item), owner };
  }
}

/** Rejects a page that was recorded while the network failed (F23). */
function assertWhole(page: PageCache): void {
  const lacking = page.lacking();
  if (lacking !== null) throw new Error(`the page is not whole: ${lacking}`);
}

/** Scripts request more after a page has loaded: it is complete after this long without a request... */
const QUIET_MS = 300;
/** ...and after this long in any case. */
const QUIET_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 50;

async function quiet(owner: PageOwner): Promise<void> {
  let quietMs = 0;
  for (let waitedMs = 0; waitedMs < QUIET_WITHIN_MS && quietMs < QUIET_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
    quietMs = owner.underWay === 0 ? quietMs + LOOK_EVERY_MS : 0;
  }
}
