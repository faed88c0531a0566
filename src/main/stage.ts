import type { FailureReason, Playout, PlayoutId } from "../core/playout.ts";
import type { Clock } from "../player/clock.ts";
import type { Wanted } from "../player/media/download.ts";
import type { Media } from "../player/media/media-cache.ts";
import { isSamePage, type PageCache } from "../player/media/page-cache.ts";
import type { DeckEvent, Stage } from "../player/screen/stage.ts";
import { type OnFailed, openDeck } from "./decks/deck.ts";
import { watchLoading } from "./decks/load-watch.ts";
import type { FacedDeck } from "./decks/media-decks.ts";
import { pageFace } from "./decks/page-face.ts";
import { watchProgress } from "./decks/watch.ts";
import type { RaisedStage } from "./raise-stage.ts";
import { settledWithin } from "./settled-within.ts";
import { fill, overhang } from "./window.ts";

/** What a stage is made of. */
export interface StageParts extends RaisedStage {
  readonly clock: Clock;
  readonly muted: boolean;
  readonly openPage: (document: Wanted) => PageCache;
  readonly report: (event: DeckEvent) => void;
  /** Puts even house content out of sight, or back; resolves when it is. */
  readonly onDark: (dark: boolean) => Promise<void>;
  /** Hears why a deck failed, in words for the log. */
  readonly onTrouble: (playout: Playout, reason: FailureReason, detail: string) => void;
}

interface Cued extends FacedDeck {
  readonly playout: Playout;
  /** It covers the slate. */
  painted: boolean;
  /** Resolves when the deck has drawn out of sight; `null` until it is asked to. */
  drawn: Promise<void> | null;
  stopWatching: () => void;
}

/** A deck that has drawn nothing out of sight for this long is raised all the same: a page may never draw by itself. */
const DRAWN_WITHIN_MS = 300;

/** The stage of one window, whose lowest view but for a cued deck is the slate. */
export function createStage(parts: StageParts): Stage {
  const decks = new Map<PlayoutId, Cued | "opening">();
  const { window, report } = parts;
  let darkening: Promise<void> | null = null;
  window.on("resize", () => {
    for (const cued of decks.values()) if (cued !== "opening") fill(window, cued.deck.view);
  });

  function fail(playout: Playout, reason: FailureReason, detail: string): void {
    if (!decks.has(playout.id)) return;
    parts.onTrouble(playout, reason, detail);
    report({ kind: "deck-failed", playout: playout.id, reason });
  }

  async function cue(playout: Playout, media: Media): Promise<void> {
    decks.set(playout.id, "opening");
    const { deck, face } = await open(playout, media, (reason, detail) => fail(playout, reason, detail));
    if (!decks.has(playout.id)) return deck.close();
    decks.set(playout.id, { playout, deck, face, painted: false, drawn: null, stopWatching: () => {} });
    await face.load();
    if (decks.has(playout.id)) report({ kind: "deck-ready", playout: playout.id });
  }

  async function open({ item }: Playout, media: Media, onFailed: OnFailed): Promise<FacedDeck> {
    const { form, mimeType } = item;
    if (form === "html") return openPage(item, onFailed);
    return parts.mediaDecks.open({ media, mimeType }, { digest: media.digest, form, muted: parts.muted }, onFailed);
  }

  async function openPage(document: Wanted, onFailed: OnFailed): Promise<FacedDeck> {
    const page = parts.openPage(document);
    const { session, release } = await parts.creativeSessions.lease(page);
    const lease = {
      session,
      stay: (target: string) => isSamePage(target, document.url),
      release() {
        page.close();
        release();
      },
    };
    const deck = openDeck(window, lease, onFailed);
    const face = pageFace(deck.view.webContents, document.url);
    const stopWatching = watchLoading(deck.view.webContents, (detail) => onFailed("hung", detail));
    return {
      deck,
      face: {
        ...face,
        load: () => face.load().then(() => assertWhole(page)),
        start() {
          stopWatching();
          return face.start();
        },
      },
    };
  }

  function coverSlate(): void {
    parts.slate.cover([...decks.values()].some((cued) => cued !== "opening" && cued.painted));
  }

  function draw(cued: Cued): Promise<void> {
    overhang(window, cued.deck.view);
    return settledWithin(cued.face.drawn(), DRAWN_WITHIN_MS);
  }

  async function take(cued: Cued): Promise<void> {
    const { playout, deck, face } = cued;
    await parts.inSight;
    cued.drawn ??= draw(cued);
    await cued.drawn;
    if (!decks.has(playout.id)) return;
    fill(window, deck.view);
    window.contentView.addChildView(deck.view);
    deck.view.webContents.setAudioMuted(parts.muted);
    const takenAt = parts.clock.now();
    const paintedAt = monotonic(parts.clock, takenAt, await face.start());
    if (!decks.has(playout.id)) return;
    cued.painted = true;
    coverSlate();
    report({ kind: "deck-painted", playout: playout.id, paintedAt });
    cued.stopWatching = watchProgress(face, playout.item.form === "video", (reason, detail) =>
      fail(playout, reason, detail),
    );
  }

  return {
    cue(playout, media) {
      cue(playout, media).catch((error: unknown) => fail(playout, loadFailure(playout), String(error)));
    },
    warm(playout) {
      const cued = decks.get(playout.id);
      if (cued !== undefined && cued !== "opening") cued.drawn ??= draw(cued);
    },
    take(playout) {
      const cued = decks.get(playout.id);
      if (cued === undefined || cued === "opening") return fail(playout, "not-ready", "taken without a deck");
      take(cued).catch((error: unknown) => fail(playout, "not-painted", String(error)));
    },
    clear(playout) {
      const cued = decks.get(playout.id);
      decks.delete(playout.id);
      if (cued === undefined || cued === "opening") return;
      cued.stopWatching();
      coverSlate();
      // The last one before the dark stays until it is dark below.
      if (darkening === null) cued.deck.close();
      else void darkening.then(() => cued.deck.close());
    },
    darken() {
      darkening = parts.onDark(true).then(() => {
        darkening = null;
      });
    },
    lighten: () => void parts.onDark(false),
  };
}

/** A page that was recorded while the network failed is not the one that its maker made. */
function assertWhole(page: PageCache): void {
  const lacking = page.lacking();
  if (lacking !== null) throw new Error(`the page is not whole: ${lacking}`);
}

function loadFailure(playout: Playout): FailureReason {
  return playout.item.form === "html" ? "load-failed" : "undecodable";
}

/**
 * A page's epoch time on our monotonic clock. The page's clock may differ after a jump of the wall clock, so an
 * instant outside the span since the take is taken for now.
 */
function monotonic(clock: Clock, takenAt: number, epochMs: number): number {
  const now = clock.now();
  const at = now - (performance.timeOrigin + performance.now() - epochMs);
  return at >= takenAt && at <= now ? at : now;
}
