import { drop, failSlot, failure, type LoopEffect, miss, RULES, type Step } from "./loop-rules.ts";
import { LATE_PAINT_MS, type LoopState, type Waiting } from "./loop-state.ts";
import type { Miss } from "./pace.ts";
import { type FailureReason, type PlayoutId, playoutsOf } from "./playout.ts";
import { dropReason, type RestReason, resting, roused } from "./rest.ts";
import { type Instant, runningOrder, type Spot } from "./spot.ts";

/** What happened to a screen's loop. Instants are monotonic. */
export type LoopEvent =
  | { readonly kind: "started" }
  | { readonly kind: "spot-received"; readonly spot: Spot; readonly requestedAt: Instant }
  | { readonly kind: "spot-missed"; readonly miss: Miss }
  | { readonly kind: "item-fetched"; readonly playout: PlayoutId }
  | { readonly kind: "item-lost"; readonly playout: PlayoutId }
  | { readonly kind: "deck-ready"; readonly playout: PlayoutId }
  | { readonly kind: "deck-painted"; readonly playout: PlayoutId; readonly paintedAt: Instant }
  | { readonly kind: "deck-failed"; readonly playout: PlayoutId; readonly reason: FailureReason }
  /** There is a reason to show no spots; several can hold at once. */
  | { readonly kind: "rest"; readonly because: RestReason }
  /** The reason is gone. */
  | { readonly kind: "rouse"; readonly because: RestReason }
  | { readonly kind: "woke" };

/** What the configuration says of a screen's loop. */
export interface LoopLimits {
  /** A ready spot older than this is dropped unplayed (G3). */
  readonly maxAgeMs: number;
  /** How long a page may load. */
  readonly pageWithinMs: number;
}

/** A screen that has not begun, and may rest. */
export function newLoop({ maxAgeMs, pageWithinMs }: LoopLimits, restsFor: readonly RestReason[] = []): LoopState {
  return {
    maxAgeMs,
    pageWithinMs,
    asking: { kind: "idle" },
    misses: 0,
    received: 0,
    begunSpot: 0,
    begunAt: 0,
    preparation: null,
    recentPreparationMs: 0,
    line: [],
    slot: null,
    dueAt: null,
    resting: restsFor,
    dark: false,
  };
}

/**
 * Takes in what happened at `now` and says what to do about it, in order. Pure: the same arguments give the same
 * answer; `dice`, in [0, 1), is the only chance there is. Events about playouts that are over change nothing.
 */
export function step(state: LoopState, event: LoopEvent, now: Instant, dice: number): Step {
  let [current, effects] = note(state, event, now, dice);
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const advanced = firstOf(current, now, dice);
    if (advanced === null) return [current, effects];
    current = advanced[0];
    effects = [...effects, ...advanced[1]];
  }
  throw new Error("the loop does not come to rest");
}

/** Each rule brings the loop nearer to rest; this bound turns a mistake in them into an error instead of a hang. */
const MOST_TURNS = 100;

function firstOf(state: LoopState, now: Instant, dice: number): Step | null {
  for (const rule of RULES) {
    const advanced = rule(state, now, dice);
    if (advanced !== null) return advanced;
  }
  return null;
}

function note(state: LoopState, event: LoopEvent, now: Instant, dice: number): Step {
  switch (event.kind) {
    case "started":
    case "woke":
      return [state, []];
    case "spot-received":
      return noteSpot(state, event.spot, event.requestedAt, now);
    case "spot-missed":
      return state.asking.kind === "asked" ? [miss(state, event.miss, now, dice), []] : [state, []];
    case "item-fetched":
      return notePrepared(state, event.playout, true, now, dice);
    case "item-lost":
      return notePrepared(state, event.playout, false, now, dice);
    case "deck-ready":
      return [{ ...state, line: state.line.map((waiting) => readied(waiting, event.playout)) }, []];
    case "deck-painted":
      return notePainted(state, event.playout, event.paintedAt);
    case "deck-failed":
      return noteFailed(state, event.playout, event.reason, now, dice);
    case "rest":
      return [{ ...state, resting: resting(state.resting, event.because) }, []];
    case "rouse":
      return [{ ...state, resting: roused(state.resting, event.because) }, []];
  }
}

function noteSpot(state: LoopState, spot: Spot, requestedAt: Instant, now: Instant): Step {
  if (state.asking.kind !== "asked") return [state, []];
  const number = state.received + 1;
  const playouts = playoutsOf(spot, runningOrder(spot), number, requestedAt);
  const reason = dropReason(state.resting);
  if (reason !== null) {
    return [{ ...state, received: number, asking: { kind: "idle" } }, playouts.map((one) => failure(one, reason))];
  }
  const preparation = { startedAt: now, playouts, pending: playouts.map((playout) => playout.id) };
  return [
    { ...state, received: number, asking: { kind: "idle" }, preparation },
    playouts.map((playout): LoopEffect => ({ kind: "fetch", playout })),
  ];
}

function notePrepared(state: LoopState, id: PlayoutId, fetched: boolean, now: Instant, dice: number): Step {
  const preparation = state.preparation;
  const playout = preparation?.playouts.find((one) => one.id === id);
  if (!preparation?.pending.includes(id) || playout === undefined) return [state, []];
  const pending = preparation.pending.filter((one) => one !== id);
  const playouts = fetched ? preparation.playouts : preparation.playouts.filter((one) => one.id !== id);
  const effects = fetched ? [] : [failure(playout, "unfetchable")];
  if (pending.length > 0) return [{ ...state, preparation: { ...preparation, pending, playouts } }, effects];
  const prepared = { ...state, preparation: null, recentPreparationMs: now - preparation.startedAt };
  if (playouts.length === 0) return [miss(prepared, { kind: "unavailable" }, now, dice), effects];
  const joined = playouts.map((one): Waiting => ({ playout: one, deck: "none", cuedAt: 0 }));
  return [{ ...prepared, line: [...state.line, ...joined] }, effects];
}

function readied(waiting: Waiting, id: PlayoutId): Waiting {
  return waiting.playout.id === id && waiting.deck === "cued" ? { ...waiting, deck: "ready" } : waiting;
}

function notePainted(state: LoopState, id: PlayoutId, paintedAt: Instant): Step {
  const slot = state.slot;
  if (slot === null || slot.playout.id !== id || slot.paintedAt !== null || slot.failed) return [state, []];
  const late = paintedAt - slot.startsAt > LATE_PAINT_MS;
  const endsAt = late ? paintedAt + slot.playout.item.durationMs : slot.endsAt;
  return [
    { ...state, misses: 0, slot: { ...slot, paintedAt, endsAt, covered: null } },
    slot.covered === null ? [] : [{ kind: "clear", playout: slot.covered }],
  ];
}

function noteFailed(state: LoopState, id: PlayoutId, reason: FailureReason, now: Instant, dice: number): Step {
  if (state.slot?.playout.id === id) return failSlot(state, state.slot, reason);
  const waiting = state.line.find((one) => one.playout.id === id && one.deck !== "none");
  return waiting === undefined ? [state, []] : drop(state, waiting, reason, now, dice);
}
