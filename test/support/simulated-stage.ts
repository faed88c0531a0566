import type { FailureReason, Playout } from "../../src/core/playout.ts";
import type { Instant } from "../../src/core/spot.ts";
import type { Clock } from "../../src/player/clock.ts";
import type { Media } from "../../src/player/media-cache.ts";
import type { DeckEvent, Stage } from "../../src/player/stage.ts";

/** How long the simulated decks take. */
const LOADS_MS = 80;
const PAINTS_MS = 20;

/** Something that was in sight of a simulated audience. */
export interface Showing {
  readonly item: string;
  readonly from: Instant;
  readonly until: Instant;
}

/** A stage without a display: decks load and paint by the clock, or fail as they are told to. */
export class SimulatedStage implements Stage {
  readonly showings: Showing[] = [];
  readonly #clock: Clock;
  readonly #open = new Map<string, { readonly media: Media; paintedAt: Instant | null }>();
  readonly #failing = new Map<string, FailureReason>();
  #report: (event: DeckEvent) => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where decks report to. */
  connect(report: (event: DeckEvent) => void): void {
    this.#report = report;
  }

  /** Every deck of an item with this id fails when it is cued. */
  breakOn(itemId: string, reason: FailureReason): void {
    this.#failing.set(itemId, reason);
  }

  cue(playout: Playout, media: Media): void {
    this.#open.set(playout.id, { media, paintedAt: null });
    const reason = this.#failing.get(playout.item.id);
    this.#after(LOADS_MS, playout, () =>
      reason === undefined
        ? { kind: "deck-ready", playout: playout.id }
        : { kind: "deck-failed", playout: playout.id, reason },
    );
  }

  warm(): void {}

  take(playout: Playout): void {
    this.#after(PAINTS_MS, playout, () => {
      const deck = this.#open.get(playout.id);
      if (deck !== undefined) deck.paintedAt = this.#clock.now();
      return { kind: "deck-painted", playout: playout.id, paintedAt: this.#clock.now() };
    });
  }

  clear({ id, item }: Playout): void {
    const paintedAt = this.#open.get(id)?.paintedAt ?? null;
    if (paintedAt !== null) this.showings.push({ item: item.id, from: paintedAt, until: this.#clock.now() });
    this.#open.delete(id);
  }

  #after(ms: number, playout: Playout, event: () => DeckEvent): void {
    this.#clock.alarm(this.#clock.now() + ms, () => {
      if (this.#open.has(playout.id)) this.#report(event());
    });
  }
}
