import type { SpotOutcome } from "../../client/service.ts";
import type { LoopState } from "../../core/loop-state.ts";
import type { Playout, PlayoutOutcome } from "../../core/playout.ts";
import type { Instant, Item } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { NextItem, ScreenHealth } from "./health-report.ts";
import type { ScreenMetrics } from "./metrics.ts";

/** A screen on which nothing was shown for this long, though the service had something for it, is failing. */
export const SHOWN_WITHIN_MS = 10 * 60_000;

/** What a screen's health is told from. */
export class HealthWatch {
  readonly #clock: Clock;
  readonly #metrics: ScreenMetrics;
  readonly #startedAt: Instant;
  #state: LoopState | null = null;
  #everShown = false;
  /** When an item was last in sight or, rightly, none: the service had nothing to show. */
  #wellAt: Instant;
  #houseSince: Instant | null;
  #lastError: string | null = null;

  constructor(clock: Clock, metrics: ScreenMetrics) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#startedAt = clock.now();
    this.#wellAt = this.#startedAt;
    this.#houseSince = this.#startedAt;
  }

  /** Takes in each state of the loop. */
  noteState(state: LoopState): void {
    const before = this.#state?.slot ?? null;
    const { slot } = state;
    if (slot !== null && slot.paintedAt !== null && before?.paintedAt !== slot.paintedAt) {
      const { takeLateness, labels } = this.#metrics;
      takeLateness.observe(labels, Math.max(0, slot.paintedAt - slot.startsAt) / 1000);
      this.#everShown = true;
    }
    if (isHidden(state) && (this.#state === null || !isHidden(this.#state)))
      this.#lastError = "nobody can see this screen";
    this.#noteHouse(inSight(state) === null && !isHidden(state) && !isClosed(state));
    // What went before opening says nothing about the hours after it.
    const closed = isClosed(state) || (this.#state !== null && isClosed(this.#state));
    if (inSight(state) !== null || closed) this.#wellAt = this.#clock.now();
    this.#state = state;
  }

  noteAsked(outcome: SpotOutcome): void {
    this.#metrics.spotRequests.inc({ outcome: outcome.kind, ...this.#metrics.labels });
    if (outcome.kind === "empty") this.#wellAt = this.#clock.now();
    if (outcome.kind === "denied")
      this.#lastError = `the service denies this screen its spots (HTTP ${outcome.status})`;
    if (outcome.kind === "unavailable") this.#lastError = `the service is unavailable: ${outcome.reason}`;
  }

  noteSettled({ item }: Playout, outcome: PlayoutOutcome): void {
    const { itemsShown, itemsFailed, labels } = this.#metrics;
    if (outcome.kind === "shown") {
      itemsShown.inc({ kind: item.kind, ...labels });
      return;
    }
    itemsFailed.inc({ kind: item.kind, reason: outcome.reason, ...labels });
    // Closing time is nobody's error.
    if (outcome.reason === "closed") return;
    this.#lastError = `${item.kind} ${item.id} failed: ${outcome.reason}`;
  }

  /** How this screen is. */
  report(): ScreenHealth {
    const state = this.#state;
    const slot = state === null ? null : inSight(state);
    const ready = state?.line.find(({ deck }) => deck === "ready")?.playout.item;
    const toWall = this.#clock.wall() - this.#clock.now();
    return {
      status: this.#status(),
      onAir:
        slot === null
          ? state !== null && (isHidden(state) || isClosed(state))
            ? "nothing"
            : "house"
          : { ...brief(slot.playout.item), since: new Date(slot.paintedAt + toWall).toISOString() },
      next: ready === undefined ? null : brief(ready),
      lastError: this.#lastError,
    };
  }

  #status(): ScreenHealth["status"] {
    if (this.#state !== null && isClosed(this.#state)) return "closed";
    if (this.#clock.now() - this.#wellAt > SHOWN_WITHIN_MS) return "failing";
    return this.#everShown ? "ok" : "starting";
  }

  #noteHouse(showing: boolean): void {
    const now = this.#clock.now();
    const { houseSeconds, labels } = this.#metrics;
    if (this.#houseSince !== null) houseSeconds.inc(labels, (now - this.#houseSince) / 1000);
    this.#houseSince = showing ? now : null;
  }
}

/** The slot whose item is in sight, or `null` while it is house content. */
function inSight({ slot }: LoopState): { readonly playout: Playout; readonly paintedAt: Instant } | null {
  if (slot === null || slot.failed || slot.paintedAt === null) return null;
  return { playout: slot.playout, paintedAt: slot.paintedAt };
}

function isHidden({ resting }: LoopState): boolean {
  return resting.includes("hidden");
}

function isClosed({ resting }: LoopState): boolean {
  return resting.includes("closed");
}

function brief({ kind, id, title, durationMs }: Item): NextItem {
  return { kind, id, title, durationMs };
}
