import type { LoopEvent } from "../../core/loop/loop.ts";
import type { FailureReason, Playout } from "../../core/spot.ts";
import type { Media } from "../media/media.ts";

/** What a stage reports of its decks. */
export type DeckEvent = Extract<LoopEvent, { kind: "deck-ready" | "deck-painted" | "deck-failed" }>;

/** What became of recording a page. */
export type Recording =
  /** All its parts are in the cache; the load that is to be seen must begin `leadMs` before its turn (F22). */
  { readonly kind: "recorded"; readonly leadMs: number } | { readonly kind: "failed"; readonly reason: FailureReason };

/**
 * One display: a slate that is always there, and above it at most two decks, one visible and one cued below it.
 * Nothing here decides: what the stage is told it does, and what comes of it it reports as a `DeckEvent`.
 */
export interface Stage {
  /**
   * Loads a page in the background and throws it away, so that all its parts are in the cache, unless that was done lately;
   * says how long before its turn the load that is to be seen must begin (F22). Called off by the signal.
   */
  record(playout: Playout, media: Media, signal: AbortSignal): Promise<Recording>;
  /**
   * Loads a playout's media on a deck below everything visible, and draws it there; leads to "deck-ready" or
   * "deck-failed". A page that is being recorded goes on where it is.
   */
  cue(playout: Playout, media: Media): void;
  /** Puts a ready deck on top; leads to "deck-painted" or "deck-failed". */
  take(playout: Playout): void;
  /** Closes a playout's deck, whatever its state. */
  clear(playout: Playout): void;
  /** Shows black above the slate and below every deck, until `unblank`. */
  blank(): void;
  unblank(): void;
}
