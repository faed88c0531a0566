import type { SpotOutcome } from "../client/service.ts";
import type { LoopState } from "../core/loop-state.ts";
import type { Playout, PlayoutOutcome } from "../core/playout.ts";
import type { FinalVerdict } from "../core/proof.ts";
import type { Instant, Item } from "../core/spot.ts";
import type { Clock } from "./clock.ts";
import type { HealthReport, NextItem } from "./health-report.ts";
import type { Metrics } from "./metrics.ts";
import type { OwedProof } from "./proof-records.ts";

/** A screen on which nothing was shown for this long, though the service had something for it, is failing. */
export const SHOWN_WITHIN_MS = 10 * 60_000;

/** What a screen's health is told from. */
export class HealthWatch {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #startedAt: Instant;
  #state: LoopState | null = null;
  #everShown = false;
  /** When an item was last in sight or, rightly, none: the service had nothing to show. */
  #wellAt: Instant;
  #houseSince: Instant | null;
  #lastError: string | null = null;

  constructor(clock: Clock, metrics: Metrics) {
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
      this.#metrics.takeLateness.observe(Math.max(0, slot.paintedAt - slot.startsAt) / 1000);
      this.#everShown = true;
    }
    this.#noteHouse(inSight(state) === null);
    // What went before opening says nothing about the hours after it.
    const closed = isClosed(state) || (this.#state !== null && isClosed(this.#state));
    if (inSight(state) !== null || closed) this.#wellAt = this.#clock.now();
    this.#state = state;
  }

  noteAsked(outcome: SpotOutcome): void {
    this.#metrics.spotRequests.inc({ outcome: outcome.kind });
    if (outcome.kind === "empty") this.#wellAt = this.#clock.now();
    if (outcome.kind === "denied")
      this.#lastError = `the service denies this screen its spots (HTTP ${outcome.status})`;
    if (outcome.kind === "unavailable") this.#lastError = `the service is unavailable: ${outcome.reason}`;
  }

  noteSettled({ item }: Playout, outcome: PlayoutOutcome): void {
    if (outcome.kind === "shown") {
      this.#metrics.itemsShown.inc({ kind: item.kind });
      return;
    }
    this.#metrics.itemsFailed.inc({ kind: item.kind, reason: outcome.reason });
    // Closing time is nobody's error.
    if (outcome.reason === "closed") return;
    this.#lastError = `${item.kind} ${item.id} failed: ${outcome.reason}`;
  }

  /** Takes in what became of a proof for good. */
  noteProof({ shownAt }: OwedProof, { kind }: FinalVerdict): void {
    this.#metrics.proofsSettled.inc({ outcome: kind });
    // One from before the last boot has no place on this boot's clock.
    if (kind === "delivered" && shownAt !== null) {
      this.#metrics.proofDelay.observe((this.#clock.now() - shownAt) / 1000);
    }
  }

  /** The screen's part of the health report. */
  report(): Pick<HealthReport, "status" | "onAir" | "next" | "lastError"> {
    const state = this.#state;
    const slot = state === null ? null : inSight(state);
    const ready = state?.line.find(({ deck }) => deck === "ready")?.playout.item;
    const toWall = this.#clock.wall() - this.#clock.now();
    return {
      status: this.#status(),
      onAir:
        slot === null
          ? "house"
          : { ...brief(slot.playout.item), since: new Date(slot.paintedAt + toWall).toISOString() },
      next: ready === undefined ? null : brief(ready),
      lastError: this.#lastError,
    };
  }

  #status(): HealthReport["status"] {
    if (this.#state !== null && isClosed(this.#state)) return "closed";
    if (this.#clock.now() - this.#wellAt > SHOWN_WITHIN_MS) return "failing";
    return this.#everShown ? "ok" : "starting";
  }

  #noteHouse(showing: boolean): void {
    const now = this.#clock.now();
    if (this.#houseSince !== null) this.#metrics.houseSeconds.inc((now - this.#houseSince) / 1000);
    this.#houseSince = showing ? now : null;
  }
}

/** The slot whose item is in sight, or `null` while it is house content. */
function inSight({ slot }: LoopState): { readonly playout: Playout; readonly paintedAt: Instant } | null {
  if (slot === null || slot.failed || slot.paintedAt === null) return null;
  return { playout: slot.playout, paintedAt: slot.paintedAt };
}

function isClosed({ resting }: LoopState): boolean {
  return resting.includes("closed");
}

function brief({ kind, id, title, durationMs }: Item): NextItem {
  return { kind, id, title, durationMs };
}
