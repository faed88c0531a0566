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
import { onGraphicsBack } from "./recovery/graphics.ts";
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

/** What is to be shown, and the deck that it is on. */
interface Cued {
  readonly playout: Playout;
  readonly media: Media;
  /** `null` while it is opened. */
  on: FacedDeck | null;
  /** Resolves when what is shown is loaded. */
  loaded: Promise<void>;
  /** Decks that were opened for it. */
  decks: number;
  /** The loop was told that it is loaded. */
  ready: boolean;
  /** It lies on top. */
  raised: boolean;
  /** It covers the slate. */
  painted: boolean;
  /** Resolves when the deck has drawn out of sight; `null` until it is asked to. */
  drawing: Promise<void> | null;
  drawn: boolean;
  stopWatching: () => void;
}

/** A deck that has drawn nothing out of sight for this long is raised all the same: a page may never draw by itself. */
const DRAWN_WITHIN_MS = 300;

/** The stage of one window, whose lowest view but for a cued deck is the slate. */
export function createStage(parts: StageParts): Stage {
  const cues = new Map<PlayoutId, Cued>();
  const { window, report } = parts;
  let darkening: Promise<void> | null = null;
  let inSight = false;
  void parts.inSight.then(() => {
    inSight = true;
  });
  window.on("resize", () => {
    for (const { on } of cues.values()) if (on !== null) fill(window, on.deck.view);
  });
  onGraphicsBack(() => {
    for (const cued of cues.values()) if (!cued.raised) recue(cued);
  });

  function fail(playout: Playout, reason: FailureReason, detail: string): void {
    if (!cues.has(playout.id)) return;
    parts.onTrouble(playout, reason, detail);
    report({ kind: "deck-failed", playout: playout.id, reason });
  }

  function load(cued: Cued): void {
    cued.loaded = loadDeck(cued);
    cued.loaded.catch((error: unknown) => fail(cued.playout, loadFailure(cued.playout), String(error)));
  }

  async function loadDeck(cued: Cued): Promise<void> {
    const { playout, media } = cued;
    const number = ++cued.decks;
    const isWanted = () => cues.has(playout.id) && cued.decks === number;
    try {
      const on = await open(playout, media, (reason, detail) => fail(playout, reason, detail));
      if (!isWanted()) return on.deck.close();
      cued.on = on;
      await on.face.load();
    } catch (error) {
      if (isWanted()) throw error;
    }
    if (!isWanted() || cued.ready) return;
    cued.ready = true;
    report({ kind: "deck-ready", playout: playout.id });
  }

  /** What a page below had drawn is lost with the GPU process, and some never draw it again: another deck takes over. */
  function recue(cued: Cued): void {
    cued.on?.deck.close();
    cued.on = null;
    cued.drawing = null;
    cued.drawn = false;
    load(cued);
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
    parts.slate.cover([...cues.values()].some(({ painted }) => painted));
  }

  function draw({ deck, face }: FacedDeck): Promise<void> {
    overhang(window, deck.view);
    return settledWithin(face.drawn(), DRAWN_WITHIN_MS);
  }

  /** Resolves when it has drawn out of sight, or should have. */
  async function drawBelow(cued: Cued): Promise<void> {
    await cued.loaded;
    const { on } = cued;
    if (on === null) return;
    cued.drawing ??= draw(on);
    await cued.drawing;
    cued.drawn = cued.on === on;
  }

  async function take(cued: Cued): Promise<void> {
    const { playout } = cued;
    // As a rule it is raised before this returns: the proof of the item before is committed after that, and takes its time.
    while (!inSight || !cued.drawn || cued.on === null || parts.outside?.frozen) {
      await parts.inSight;
      await drawBelow(cued);
      await parts.outside?.thawed;
      if (!cues.has(playout.id)) return;
    }
    const { deck, face } = cued.on;
    cued.raised = true;
    fill(window, deck.view);
    window.contentView.addChildView(deck.view);
    deck.view.webContents.setAudioMuted(parts.muted);
    const raisedAt = parts.clock.now();
    const paintedAt = monotonic(parts.clock, raisedAt, await face.start());
    if (!cues.has(playout.id)) return;
    cued.painted = true;
    coverSlate();
    report({ kind: "deck-painted", playout: playout.id, paintedAt });
    cued.stopWatching = watchProgress(face, playout.item.form === "video", (reason, detail) =>
      fail(playout, reason, detail),
    );
  }

  return {
    cue(playout, media) {
      const cued: Cued = {
        ...{ playout, media, on: null, loaded: Promise.resolve(), decks: 0, ready: false },
        ...{ raised: false, painted: false, drawing: null, drawn: false, stopWatching: () => {} },
      };
      cues.set(playout.id, cued);
      load(cued);
    },
    warm(playout) {
      const cued = cues.get(playout.id);
      // Whoever waits for it to be loaded hears of a failure.
      if (cued?.ready) drawBelow(cued).catch(() => {});
    },
    take(playout) {
      const cued = cues.get(playout.id);
      if (!cued?.ready) return fail(playout, "not-ready", "taken without a deck");
      take(cued).catch((error: unknown) => fail(playout, "not-painted", String(error)));
    },
    clear(playout) {
      const cued = cues.get(playout.id);
      cues.delete(playout.id);
      if (!cued?.on) return;
      const { deck } = cued.on;
      cued.stopWatching();
      coverSlate();
      // The last one before the dark stays until it is dark below.
      if (darkening === null) deck.close();
      else void darkening.then(() => deck.close());
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
