import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { FailureReason, Instant, Playout } from "../../../src/core/spot.ts";
import type { Clock } from "../../../src/player/clock.ts";
import type { Media } from "../../../src/player/media/media.ts";
import type { DeckEvent, Recording, Stage } from "../../../src/player/screen/stage.ts";

/** How long the simulated decks take. */
const LOADS_MS = 80;
const PAINTS_MS = 20;
/** Pages are cued so long before their turn. */
const PAGE_LEAD_MS = 800;

/** Something that a simulated audience saw. */
export interface Showing {
  readonly item: string;
  readonly from: Instant;
  readonly until: Instant;
}

/** What goes wrong with a deck. */
export type DeckMishap =
  | { readonly kind: "loads-late"; readonly ms: number }
  | { readonly kind: "never-loads" }
  | { readonly kind: "fails"; readonly reason: FailureReason }
  | { readonly kind: "paints-late"; readonly ms: number }
  | { readonly kind: "never-paints" }
  /** How long after its first frame. */
  | { readonly kind: "breaks"; readonly reason: FailureReason; readonly afterMs: number };

/** Who decides how the decks behave, and watches them. */
export interface Direction {
  mishapOf?(playout: Playout): DeckMishap | null;
  /** Loads what is cued; the deck is late by as long as it takes, and fails where it says why. */
  load?(playout: Playout, media: Media): Promise<FailureReason | null>;
  /** Loads a page in the background; it could not be recorded where it says why. */
  record?(playout: Playout, media: Media, signal: AbortSignal): Promise<FailureReason | null>;
  onTaken?(playout: Playout): void;
  onPainted?(playout: Playout): void;
  onFailed?(playout: Playout, reason: FailureReason): void;
  onCleared?(playout: Playout): void;
}

interface Deck {
  readonly mishap: DeckMishap | null;
  paintedAt: Instant | null;
}

/** A stage without a display: decks load and paint by the clock, or fail as they are told to. */
export class SimulatedStage implements Stage {
  readonly showings: Showing[] = [];
  /** The media of each deck, by its digest as it was promised and as it was found. */
  readonly cued: { readonly digest: string; readonly found: string | null }[] = [];
  /** Not even house content is visible. */
  blanked = false;
  readonly #clock: Clock;
  readonly #direction: Direction;
  readonly #open = new Map<string, Deck>();
  readonly #failing = new Map<string, FailureReason>();
  #report: (event: DeckEvent) => void = () => {};

  constructor(clock: Clock, direction: Direction = {}) {
    this.#clock = clock;
    this.#direction = direction;
  }

  /** Where decks report to. */
  connect(report: (event: DeckEvent) => void): void {
    this.#report = report;
  }

  /** Every deck of an item with this id fails when it is cued. */
  breakOn(itemId: string, reason: FailureReason): void {
    this.#failing.set(itemId, reason);
  }

  /** How many decks there are. */
  get decks(): number {
    return this.#open.size;
  }

  cue(playout: Playout, media: Media): void {
    const mishap = this.#mishapOf(playout);
    this.#open.set(playout.id, { mishap, paintedAt: null });
    this.cued.push({ digest: media.digest, found: digestOf(media.path) });
    const loading = this.#direction.load?.(playout, media);
    if (loading === undefined) this.#loaded(playout, mishap);
    else void loading.then((reason) => this.#loaded(playout, reason === null ? mishap : { kind: "fails", reason }));
  }

  async record(playout: Playout, media: Media, signal: AbortSignal): Promise<Recording> {
    const reason = await this.#direction.record?.(playout, media, signal);
    return reason ? { kind: "failed", reason } : { kind: "recorded", leadMs: PAGE_LEAD_MS };
  }

  take(playout: Playout): void {
    this.#direction.onTaken?.(playout);
    const mishap = this.#open.get(playout.id)?.mishap;
    if (mishap?.kind === "never-paints") return;
    this.#after(PAINTS_MS + (mishap?.kind === "paints-late" ? mishap.ms : 0), playout, () => this.#paint(playout));
  }

  blank(): void {
    this.blanked = true;
  }

  unblank(): void {
    this.blanked = false;
  }

  clear(playout: Playout): void {
    const { id, item } = playout;
    const paintedAt = this.#open.get(id)?.paintedAt ?? null;
    if (paintedAt !== null) this.showings.push({ item: item.id, from: paintedAt, until: this.#clock.now() });
    if (this.#open.delete(id)) this.#direction.onCleared?.(playout);
  }

  #mishapOf(playout: Playout): DeckMishap | null {
    const reason = this.#failing.get(playout.item.id);
    return reason === undefined ? (this.#direction.mishapOf?.(playout) ?? null) : { kind: "fails", reason };
  }

  #loaded(playout: Playout, mishap: DeckMishap | null): void {
    if (mishap?.kind === "never-loads") return;
    this.#after(LOADS_MS + (mishap?.kind === "loads-late" ? mishap.ms : 0), playout, () => {
      if (mishap?.kind === "fails") this.#fail(playout, mishap.reason);
      else this.#report({ kind: "deck-ready", playout: playout.id });
    });
  }

  #paint(playout: Playout): void {
    const deck = this.#open.get(playout.id);
    if (deck === undefined) return;
    deck.paintedAt = this.#clock.now();
    this.#direction.onPainted?.(playout);
    const { mishap } = deck;
    if (mishap?.kind === "breaks") this.#after(mishap.afterMs, playout, () => this.#fail(playout, mishap.reason));
    this.#report({ kind: "deck-painted", playout: playout.id, paintedAt: deck.paintedAt });
  }

  #fail(playout: Playout, reason: FailureReason): void {
    this.#direction.onFailed?.(playout, reason);
    this.#report({ kind: "deck-failed", playout: playout.id, reason });
  }

  #after(ms: number, playout: Playout, act: () => void): void {
    this.#clock.alarm(this.#clock.now() + ms, () => {
      if (this.#open.has(playout.id)) act();
    });
  }
}

/** In hexadecimal, or null where there is no file. */
function digestOf(path: string): string | null {
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : null;
}
