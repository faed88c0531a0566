import type { SpotOutcome } from "../../client/spot-client.ts";
import { isReady, type LoopState } from "../../core/loop/state.ts";
import type { Instant, Item, Playout, PlayoutId, PlayoutOutcome } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { NextItem, ScreenHealth } from "./health-report.ts";
import type { ScreenMetrics } from "./metrics.ts";

/** A screen on which nothing was shown for this long is failing, unless the service said that it has nothing for it. */
export const SHOWN_WITHIN_MS = 10 * 60_000;

/** How many characters of what Chromium says go into a line of health. */
const LONGEST_DETAIL = 200;

/**
 * What is visible: an item, house content, what the operator put in its place (`overridden`), or nothing, rightly (`closed`,
 * `off` by the operator) or not.
 */
export type ScreenState = "playing" | "house" | "closed" | "hidden" | "overridden" | "off";

/** What came of the last request for a spot; `ok` for one that was answered, with a spot or without. */
export type ServiceState = "unasked" | "ok" | Exclude<SpotOutcome["kind"], "spot" | "empty">;

/** What the service, or what is on the way to it, answers to who comes with a wrong token, login or certificate, among others. */
const SHUT_OUT: readonly ServiceState[] = ["denied", "refused", "unavailable"];

/** Whether none of these screens got an answer with its last request that it could use. */
export function isShutOut(screens: readonly { readonly health: Pick<HealthWatch, "service"> }[]): boolean {
  return screens.length > 0 && screens.every(({ health }) => SHUT_OUT.includes(health.service));
}

/** What a screen's health is told from. */
export class HealthWatch {
  readonly #clock: Clock;
  readonly #metrics: ScreenMetrics;
  readonly #startedAt: Instant;
  #state: LoopState | null = null;
  #everShown = false;
  /** When an item was last visible or, rightly, none: the service had nothing to show. */
  #wellAt: Instant;
  #houseSince: Instant | null;
  #shownAt: Instant | null = null;
  #answered: SpotOutcome["kind"] | "unasked" = "unasked";
  #lastError: string | null = null;
  #hiddenReasons: readonly string[] = [];
  #failure: { readonly playout: PlayoutId; readonly detail: string } | null = null;

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
    const isNewlyHidden = isHidden(state) && (this.#state === null || !isHidden(this.#state));
    if (isNewlyHidden && !this.#isHiddenByOperator()) {
      const why = this.#hiddenReasons.join(", ");
      this.#lastError = `nobody can see this screen${why === "" ? "" : `: ${why}`}`;
    }
    this.#noteHouse(visibleSlot(state) === null && !isHidden(state) && !isWithheld(state));
    // What went before opening says nothing about the hours after it.
    const withheld = isWithheld(state) || (this.#state !== null && isWithheld(this.#state));
    if (visibleSlot(state) !== null || withheld) this.#wellAt = this.#clock.now();
    this.#state = state;
  }

  noteAsked(outcome: SpotOutcome): void {
    this.#metrics.spotRequests.inc({ outcome: outcome.kind, ...this.#metrics.labels });
    this.#answered = outcome.kind;
    if (outcome.kind === "empty") this.#wellAt = this.#clock.now();
    if (outcome.kind === "denied")
      this.#lastError = `the service denies this screen its spots (HTTP ${outcome.status})`;
    if (outcome.kind === "unavailable") this.#lastError = `the service is unavailable: ${outcome.reason}`;
  }

  /** Takes in why nobody can see the screen, just before it is suspended for that. */
  noteHidden(reasons: readonly string[]): void {
    this.#hiddenReasons = reasons;
  }

  /** Takes in what there is to say about a deck that fails, just before its playout is over for that. */
  noteFailure({ id }: Playout, detail: string): void {
    this.#failure = { playout: id, detail };
  }

  noteSettled({ id, item }: Playout, outcome: PlayoutOutcome): void {
    const { itemsShown, itemsFailed, labels } = this.#metrics;
    if (outcome.kind === "shown") {
      itemsShown.inc({ kind: item.kind, ...labels });
      this.#shownAt = outcome.endedAt;
      return;
    }
    itemsFailed.inc({ kind: item.kind, reason: outcome.reason, ...labels });
    // Closing time and the operator's word are nobody's error.
    if (outcome.reason === "closed" || outcome.reason === "overridden") return;
    if (outcome.reason === "hidden" && this.#isHiddenByOperator()) return;
    const detail = this.#failure?.playout === id ? ` (${this.#failure.detail.slice(0, LONGEST_DETAIL)})` : "";
    this.#lastError = `${item.kind} ${item.id} failed: ${outcome.reason}${detail}`;
  }

  /** Whether all that hides the screen is the page on which the operator reads the last error. */
  #isHiddenByOperator(): boolean {
    return this.#hiddenReasons.length > 0 && this.#hiddenReasons.every((reason) => reason === "operator overlay");
  }

  /** When the last item that was shown in full ended, monotonic; null while none was in this run. */
  get shownAt(): Instant | null {
    return this.#shownAt;
  }

  get service(): ServiceState {
    return this.#answered === "spot" || this.#answered === "empty" ? "ok" : this.#answered;
  }

  /**
   * Whether something is to be shown and nothing beyond this machine is known to keep it from that: the screen is visible
   * and not withheld, and the service neither had nothing, nor asked to wait, nor was out of reach.
   */
  get isExpectedToShow(): boolean {
    const isSilent = ["empty", "limited", "unavailable"].includes(this.#answered);
    return !isSilent && (this.state === "playing" || this.state === "house");
  }

  /** As `report().onAir`; a screen that is closed is `closed`, whether anybody could see it or not. */
  get state(): ScreenState {
    const state = this.#state;
    if (state === null) return "house";
    if (visibleSlot(state) !== null) return "playing";
    return withheldBy(state) ?? (isHidden(state) ? "hidden" : "house");
  }

  /** How this screen is, apart from its display. */
  report(): Omit<ScreenHealth, "displayTrouble" | "panel"> {
    const state = this.#state;
    const slot = state === null ? null : visibleSlot(state);
    const ready = state?.queue.find(isReady)?.playout.item;
    const toWall = this.#clock.wall() - this.#clock.now();
    return {
      status: this.#status(),
      onAir:
        slot === null
          ? onAirWithout(state)
          : { ...brief(slot.playout.item), since: new Date(slot.paintedAt + toWall).toISOString() },
      next: ready === undefined ? null : brief(ready),
      lastError: this.#lastError,
    };
  }

  #status(): ScreenHealth["status"] {
    const withheld = this.#state === null ? null : withheldBy(this.#state);
    if (withheld !== null) return withheld;
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

/** The slot whose item is visible, or `null` while it is house content. */
function visibleSlot({ slot }: LoopState): { readonly playout: Playout; readonly paintedAt: Instant } | null {
  if (slot === null || slot.failed || slot.paintedAt === null) return null;
  return { playout: slot.playout, paintedAt: slot.paintedAt };
}

function isHidden({ suspendReasons }: LoopState): boolean {
  return suspendReasons.includes("hidden");
}

/** Why nothing is to be shown, rightly, or null: what the operator says goes before the opening hours. */
function withheldBy({ suspendReasons }: LoopState): "overridden" | "off" | "closed" | null {
  if (suspendReasons.includes("overridden")) return "overridden";
  if (suspendReasons.includes("switched-off")) return "off";
  return suspendReasons.includes("closed") ? "closed" : null;
}

function isWithheld(state: LoopState): boolean {
  return withheldBy(state) !== null;
}

function onAirWithout(state: LoopState | null): Exclude<ScreenHealth["onAir"], object> {
  if (state === null) return "house";
  const withheld = withheldBy(state);
  if (withheld === "overridden") return "override";
  return withheld !== null || isHidden(state) ? "nothing" : "house";
}

function brief({ kind, id, title, durationMs }: Item): NextItem {
  return { kind, id, title, durationMs };
}
