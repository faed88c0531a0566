import type { FailureReason, Playout, PlayoutId } from "../core/playout.ts";
import type { Instant } from "../core/spot.ts";
import type { Clock } from "../player/clock.ts";
import type { Wanted } from "../player/media/download.ts";
import type { Media } from "../player/media/media-cache.ts";
import { isSamePage, type PageCache } from "../player/media/page-cache.ts";
import type { DeckEvent, Stage } from "../player/screen/stage.ts";
import { CuedDeck } from "./decks/cued-deck.ts";
import { type OnFailed, openDeck } from "./decks/deck.ts";
import { watchLoading } from "./decks/load-watch.ts";
import type { FacedDeck } from "./decks/media-decks.ts";
import { pageFace } from "./decks/page-face.ts";
import { watchProgress } from "./decks/watch.ts";
import type { RaisedStage } from "./raise-stage.ts";
import { onGraphicsBack } from "./recovery/graphics.ts";
import { fill } from "./window.ts";

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

/** A page that is not in sight again for as long as this has failed, as has a clip that stands still for as long. */
const RESTORED_WITHIN_MS = 2_000;

interface Cued {
  readonly playout: Playout;
  readonly deck: CuedDeck;
  /** The loop was told that it is loaded. */
  ready: boolean;
  /** It was started where it can be seen. */
  raised: boolean;
  /** It covers the slate. */
  painted: boolean;
  /** Settles when it was started, or cannot be. */
  taking: Promise<void>;
  stopWatching: () => void;
}

/** The stage of one window, whose lowest view but for a cued deck is the slate. */
export function createStage(parts: StageParts): Stage {
  const cues = new Map<PlayoutId, Cued>();
  const { window, report } = parts;
  let darkening: Promise<void> | null = null;
  let inSight = false;
  /** What was taken last. */
  let taken: Cued | null = null;
  /** Hears that a deck was raised. */
  let onRaised = () => {};
  void parts.inSight.then(() => {
    inSight = true;
  });
  window.on("resize", () => {
    for (const { deck } of cues.values()) deck.fit();
  });
  onGraphicsBack(async () => {
    for (const cued of cues.values()) if (!cued.raised) void load(cued);
    if (!taken?.raised || taken.playout.item.form !== "html") return;
    await taken.taking;
    if (taken?.raised) await restored(taken);
  });

  function fail(playout: Playout, reason: FailureReason, detail: string): void {
    if (!cues.has(playout.id)) return;
    parts.onTrouble(playout, reason, detail);
    report({ kind: "deck-failed", playout: playout.id, reason });
  }

  async function load(cued: Cued): Promise<void> {
    const { playout, deck } = cued;
    try {
      if (!(await deck.load()) || cued.ready) return;
      cued.ready = true;
      report({ kind: "deck-ready", playout: playout.id });
    } catch (error) {
      fail(playout, loadFailure(playout), String(error));
    }
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

  /** Resolves with what is to be raised as soon as that can be seen; `null` where it is not to be any more. */
  async function drawn({ playout, deck }: Cued): Promise<FacedDeck | null> {
    for (;;) {
      await parts.inSight;
      await deck.draw();
      if (!cues.has(playout.id)) return null;
      if (deck.drawn !== null) return deck.drawn;
    }
  }

  /** Puts it on top and starts it there; resolves with its first frame's instant, or `null` where another was taken. */
  async function raise(cued: Cued): Promise<Instant | null> {
    for (;;) {
      // As a rule it is raised before this returns: the proof of the item before is committed after that, and takes its time.
      const faced = (inSight ? cued.deck.drawn : null) ?? (await drawn(cued));
      if (faced === null || taken !== cued) return null;
      const { deck, face } = faced;
      fill(window, deck.view);
      window.contentView.addChildView(deck.view);
      onRaised();
      if (parts.outside?.frozen) await parts.outside.thawed;
      // Meanwhile it may have been loaded anew.
      if (cued.deck.drawn !== faced) continue;
      cued.raised = true;
      deck.view.webContents.setAudioMuted(parts.muted);
      const raisedAt = parts.clock.now();
      const paintedAt = monotonic(parts.clock, raisedAt, await face.start());
      if (!cues.has(cued.playout.id)) return null;
      cued.stopWatching = watchProgress(face, cued.playout.item.form === "video", (reason, detail) =>
        fail(cued.playout, reason, detail),
      );
      return paintedAt;
    }
  }

  async function take(cued: Cued): Promise<void> {
    const paintedAt = await raise(cued);
    if (paintedAt === null) return;
    cued.painted = true;
    coverSlate();
    report({ kind: "deck-painted", playout: cued.playout.id, paintedAt });
  }

  /**
   * Loads a page anew whose graphics were lost while it was in sight: now and then Chromium never draws all of it again.
   * Resolves when that, or what comes after it, lies on top.
   */
  async function restored(cued: Cued): Promise<void> {
    const { playout } = cued;
    const raised = new Promise<void>((resolve) => {
      onRaised = resolve;
    });
    cued.stopWatching();
    cued.raised = false;
    void load(cued);
    const late = setTimeout(() => {
      fail(playout, "stalled", `not in sight again within ${RESTORED_WITHIN_MS} ms`);
    }, RESTORED_WITHIN_MS);
    raise(cued)
      .catch((error: unknown) => fail(playout, "not-painted", String(error)))
      .finally(() => clearTimeout(late));
    await raised;
  }

  return {
    cue(playout, media) {
      const deck = new CuedDeck(window, () => open(playout, media, (reason, detail) => fail(playout, reason, detail)));
      const begun = { playout, deck, ready: false, raised: false, painted: false };
      const cued = { ...begun, taking: Promise.resolve(), stopWatching: () => {} };
      cues.set(playout.id, cued);
      void load(cued);
    },
    warm(playout) {
      const cued = cues.get(playout.id);
      // Whoever waits for it to be loaded hears of a failure.
      if (cued?.ready) cued.deck.draw().catch(() => {});
    },
    take(playout) {
      const cued = cues.get(playout.id);
      if (!cued?.ready) return fail(playout, "not-ready", "taken without a deck");
      taken = cued;
      cued.taking = take(cued).catch((error: unknown) => fail(playout, "not-painted", String(error)));
    },
    clear(playout) {
      const cued = cues.get(playout.id);
      cues.delete(playout.id);
      if (cued === undefined) return;
      if (taken === cued) taken = null;
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
