import { setTimeout as sleep } from "node:timers/promises";
import { NO_SUSPECTS, suspect } from "../../core/recovery.ts";
import type { FailureReason, Instant, Playout, PlayoutId } from "../../core/spot.ts";
import type { Clock } from "../../player/clock.ts";
import type { Media } from "../../player/media/media.ts";
import type { DeckEvent, Stage } from "../../player/screen/stage.ts";
import type { OnFailed } from "../decks/deck.ts";
import { watchProgress } from "../decks/deck-watch.ts";
import { CuedDeck, type OpenedDeck } from "../decks/media-decks.ts";
import { type PageDeckParts, PageDecks } from "../decks/page-decks.ts";
import { onGraphicsBack, onGraphicsSuspected } from "../recovery/triggers.ts";
import { canDrawBelow } from "../window/window.ts";
import { loadFailure } from "./load-failure.ts";
import { instantOf } from "./page-time.ts";
import type { StageWindow } from "./stage-window.ts";

/** What a stage is made of. */
export interface StageParts extends StageWindow {
  readonly clock: Clock;
  /** Whether what is shown from now on is without sound. */
  readonly isMuted: () => boolean;
  readonly pages: Pick<PageDeckParts, "openPage" | "loads" | "withinMs">;
  readonly report: (event: DeckEvent) => void;
  /** Aborted when the process is about to end: Chromium would crash if a covered deck were still open. */
  readonly ending: AbortSignal;
  /** Shows black in place of house content, or house content again; resolves when it is drawn. */
  readonly setBlanked: (blanked: boolean) => Promise<void>;
  /** Called when a deck has failed; `detail` is for the log. */
  readonly onDeckFailed: (playout: Playout, reason: FailureReason, detail: string) => void;
  /** Called with a page's age at its first visible frame, in milliseconds. */
  readonly onPageSeen: (playout: Playout, ageMs: number) => void;
}

/** A page that is not visible again within this time has failed, as has a clip that stands still for as long. */
const RESTORED_WITHIN_MS = 2_000;

/**
 * A covered deck is closed this much later: closing a page with a thousand frames blocks the main process for 0.4 s, which
 * would delay the frame of the deck that covers it.
 */
const COVERED_MS = 150;

/** The window shows a page's first frame one or two frames after the page has drawn it. */
const SEEN_AFTER_MS = 35;

/** One deck's way from its cue to the screen. */
interface Cued {
  readonly playout: Playout;
  readonly media: Media;
  readonly deck: CuedDeck;
  /** `ready`: the loop was told that it is drawn. `raised`: it was started on top. `painted`: it covers the slate. */
  phase: "loading" | "ready" | "raised" | "painted";
  /** Settles when it was started, or cannot be. */
  taking: Promise<unknown>;
  stopWatching: () => void;
}

/** Creates the stage of one window, on top of its slate. */
export function createStage(parts: StageParts): Stage {
  const cues = new Map<PlayoutId, Cued>();
  const { window, report } = parts;
  const pages = new PageDecks({ ...parts.pages, window, clock: parts.clock, sessions: parts.creativeSessions });
  let blanking: Promise<void> | null = null;
  let windowShown = false;
  let suspects = NO_SUSPECTS;
  /** The deck that was taken last. */
  let taken: Cued | null = null;
  /** Called when a deck was raised. */
  let onRaised = () => {};
  void parts.windowShown.then(() => {
    windowShown = true;
  });
  window.on("resize", () => {
    for (const { deck } of cues.values()) deck.adapt();
  });
  onGraphicsSuspected(() => {
    if (taken === null || !isUp(taken) || taken.playout.item.form !== "html") return false;
    const { playout } = taken;
    const [next, isBlamed] = suspect(suspects, playout.item.url, parts.clock.now());
    suspects = next;
    if (isBlamed) fail(playout, "crashed", "the GPU process ended under it again");
    return isBlamed;
  });
  onGraphicsBack(async () => {
    pages.showNoneUnderWay();
    for (const cued of cues.values()) if (!isUp(cued)) void load(cued);
    // Clips draw themselves.
    if (taken === null || !isUp(taken) || taken.playout.item.form === "video") return;
    await taken.taking;
    if (taken !== null && isUp(taken)) await restored(taken);
  });

  function fail(playout: Playout, reason: FailureReason, detail: string): void {
    if (!cues.has(playout.id) || parts.ending.aborted) return;
    parts.onDeckFailed(playout, reason, detail);
    report({ kind: "deck-failed", playout: playout.id, reason });
  }

  async function load(cued: Cued): Promise<void> {
    const { playout, media, deck } = cued;
    try {
      if (!(await deck.load()) || cued.phase !== "loading") return;
      cued.phase = "ready";
      report({ kind: "deck-ready", playout: playout.id });
    } catch (error) {
      const [reason, detail] = await loadFailure(playout, media, error);
      fail(playout, reason, detail);
    }
  }

  function open(playout: Playout, media: Media, onFailed: OnFailed): Promise<OpenedDeck> {
    const { form, mimeType } = playout.item;
    if (form === "html") return pages.open(playout, media.digest, onFailed);
    return parts.mediaDecks.open({ media, mimeType }, { form, muted: parts.isMuted() }, onFailed);
  }

  function coverSlate(): void {
    parts.slate.cover(
      "deck",
      [...cues.values()].some(({ phase }) => phase === "painted"),
    );
  }

  /** Closes a deck once what comes in sight then is there; at once where the process is about to end. */
  function closeAfter(ready: Promise<unknown>, { deck }: Cued): void {
    const contents = deck.drawn?.deck.contents;
    if (contents?.isDestroyed() === false) contents.setAudioMuted(true);
    const close = () => {
      parts.ending.removeEventListener("abort", close);
      deck.close();
      coverSlate();
    };
    void ready.then(close);
    parts.ending.addEventListener("abort", close);
  }

  /** Resolves with what is to be raised as soon as that can be seen; `null` where it is not to be any more. */
  async function drawn({ playout, deck }: Cued): Promise<OpenedDeck | null> {
    for (;;) {
      await parts.windowShown;
      await deck.loaded;
      if (!cues.has(playout.id)) return null;
      if (deck.drawn !== null) return deck.drawn;
    }
  }

  /** Raises a deck and starts it; resolves with the instant of its first frame, or `null` if another was taken meanwhile. */
  async function raise(cued: Cued): Promise<Instant | null> {
    for (;;) {
      // Without an await where possible: it is raised first, then the last item's proof is committed, which takes time.
      const opened = (windowShown ? cued.deck.drawn : null) ?? (await drawn(cued));
      if (opened === null || taken !== cued) return null;
      const { deck, content } = opened;
      deck.raise();
      onRaised();
      if (parts.outside?.frozen) await parts.outside.thawed;
      // It may have been loaded again meanwhile.
      if (cued.deck.drawn !== opened) continue;
      cued.phase = "raised";
      deck.contents.setAudioMuted(parts.isMuted());
      const raisedAt = parts.clock.now();
      const { at, ageMs } = await content.start();
      const paintedAt = instantOf(at, parts.clock, raisedAt);
      if (!cues.has(cued.playout.id)) return null;
      cued.phase = "painted";
      coverSlate();
      if (ageMs !== null) parts.onPageSeen(cued.playout, ageMs);
      cued.stopWatching = watchProgress(content, cued.playout.item.form === "video", (reason, detail) =>
        fail(cued.playout, reason, detail),
      );
      return paintedAt;
    }
  }

  /** Tells the loop of a first frame once that is seen: not before the picture, where it is kept still, goes on. */
  async function tellPainted({ playout }: Cued, drawnAt: Instant): Promise<void> {
    await sleep(SEEN_AFTER_MS);
    let paintedAt = drawnAt;
    while (parts.outside?.frozen) {
      await parts.outside.thawed;
      await sleep(SEEN_AFTER_MS);
      paintedAt = parts.clock.now();
    }
    report({ kind: "deck-painted", playout: playout.id, paintedAt });
  }

  /**
   * Loads a page or picture again whose graphics were lost while it was visible: Chromium does not always redraw all of it.
   * Resolves when it, or the next item, is on top.
   */
  async function restored(cued: Cued): Promise<void> {
    const { playout } = cued;
    const raised = new Promise<void>((resolve) => {
      onRaised = resolve;
    });
    cued.stopWatching();
    cued.phase = "ready";
    void load(cued);
    const late = setTimeout(() => {
      fail(playout, "stalled", `not visible again within ${RESTORED_WITHIN_MS} ms`);
    }, RESTORED_WITHIN_MS);
    raise(cued)
      .catch((error: unknown) => fail(playout, "not-painted", String(error)))
      .finally(() => clearTimeout(late));
    await raised;
  }

  return {
    async record(playout, media, signal) {
      const recording = await pages.record(playout, media.digest, signal);
      if (recording.kind === "failed") parts.onDeckFailed(playout, recording.reason, recording.detail);
      return recording;
    },
    cue(playout, media) {
      const deck = new CuedDeck(
        () => open(playout, media, (reason, detail) => fail(playout, reason, detail)),
        () => canDrawBelow(window),
      );
      const cued: Cued = { playout, media, deck, phase: "loading", taking: Promise.resolve(), stopWatching: () => {} };
      cues.set(playout.id, cued);
      void load(cued);
    },
    take(playout) {
      const cued = cues.get(playout.id);
      if (cued?.phase !== "ready") return fail(playout, "not-ready", "taken without a deck");
      taken = cued;
      const raised = raise(cued);
      // Not until it is told: that waits for the picture to go on, which waits for this where the graphics were lost.
      cued.taking = Promise.allSettled([raised]);
      raised
        .then((paintedAt) => (paintedAt === null ? undefined : tellPainted(cued, paintedAt)))
        .catch((error: unknown) => fail(playout, "not-painted", String(error)));
    },
    clear(playout) {
      const cued = cues.get(playout.id);
      cues.delete(playout.id);
      if (cued === undefined) return;
      const isCovered = taken !== null && taken !== cued && taken.phase === "painted";
      if (taken === cued) taken = null;
      cued.stopWatching();
      const below = isCovered ? sleep(COVERED_MS) : (blanking ?? parts.slate.redrawn);
      if (below !== null) return closeAfter(below, cued);
      coverSlate();
      cued.deck.close();
    },
    blank() {
      blanking = parts.setBlanked(true).then(() => {
        blanking = null;
      });
    },
    unblank: () => void parts.setBlanked(false),
  };
}

function isUp({ phase }: Cued): boolean {
  return phase === "raised" || phase === "painted";
}
