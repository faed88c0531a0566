import type { LoopEvent } from "../../core/loop.ts";
import type { Playout } from "../../core/playout.ts";
import type { Media } from "../media/media-cache.ts";

/** What a stage reports of its decks. */
export type DeckEvent = Extract<LoopEvent, { kind: "deck-ready" | "deck-painted" | "deck-failed" }>;

/**
 * One display: a slate that is always there, and above it at most two decks, one in sight and one cued below it.
 * Nothing here decides: what the stage is told it does, and what comes of it it reports as a `DeckEvent`.
 */
export interface Stage {
  /** Loads a playout's media on a deck below everything in sight; leads to "deck-ready" or "deck-failed". */
  cue(playout: Playout, media: Media): void;
  /** Lets a ready deck draw where nobody sees it. */
  warm(playout: Playout): void;
  /** Puts a ready deck on top; leads to "deck-painted" or "deck-failed". */
  take(playout: Playout): void;
  /** Closes a playout's deck, whatever its state. */
  clear(playout: Playout): void;
  /** Black above the slate and below every deck, for as long as the screen is closed. */
  darken(): void;
  lighten(): void;
}
