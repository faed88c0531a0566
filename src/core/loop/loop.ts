import { type FailureReason, type Instant, type PlayoutId, playoutsOf, runningOrder, type Spot } from "../spot.ts";
import { rewarded, type Unfilled } from "./pace.ts";
import { drop, failSlot, failure, type LoopEffect, notePreparation, noteUnfilled, RULES, type Step } from "./rules.ts";
import {
  CUE_LEAD_MS,
  dropReason,
  hasDeck,
  isLoading,
  LATE_PAINT_MS,
  type LoopState,
  type Progress,
  resumed,
  type SuspendReason,
  shownWholeAt,
  suspended,
  type Waiting,
} from "./state.ts";

/** What happened to a screen's loop. Instants are monotonic. */
export type LoopEvent =
  | { readonly kind: "started" }
  | { readonly kind: "spot-received"; readonly spot: Spot; readonly requestedAt: Instant }
  | { readonly kind: "spot-unfilled"; readonly reason: Unfilled }
  /** It was not asked for after all: the screen was suspended before the request was sent. */
  | { readonly kind: "request-withdrawn" }
  /** It is whole on disk. */
  | { readonly kind: "item-fetched"; readonly playout: PlayoutId }
  /** All that a page asks for is on disk, too; `leadMs` before its turn the page is to be cued (F22). */
  | { readonly kind: "page-recorded"; readonly playout: PlayoutId; readonly leadMs: number }
  | { readonly kind: "item-lost"; readonly playout: PlayoutId; readonly reason: FailureReason }
  | { readonly kind: "deck-ready"; readonly playout: PlayoutId }
  | { readonly kind: "deck-painted"; readonly playout: PlayoutId; readonly paintedAt: Instant }
  | { readonly kind: "deck-failed"; readonly playout: PlayoutId; readonly reason: FailureReason }
  /** There is a reason to show no spots; several can hold at once. */
  | { readonly kind: "suspend"; readonly because: SuspendReason }
  /** The reason is gone. */
  | { readonly kind: "resume"; readonly because: SuspendReason }
  | { readonly kind: "woke" };

/** What the configuration says of a screen's loop. */
export interface LoopLimits {
  /** A ready spot older than this is dropped unplayed (G3). */
  readonly maxAgeMs: number;
  /** How long a page may load. */
  readonly pageWithinMs: number;
}

/** A screen that has not begun, and may be suspended from the start. */
export function newLoop(
  { maxAgeMs, pageWithinMs }: LoopLimits,
  suspendReasons: readonly SuspendReason[] = [],
): LoopState {
  return {
    maxAgeMs,
    pageWithinMs,
    request: { kind: "idle" },
    unfilled: 0,
    requestTimes: [],
    received: 0,
    begunSpot: 0,
    begunAt: 0,
    recentPreparationMs: 0,
    queue: [],
    slot: null,
    dueAt: null,
    suspendReasons,
    blanked: false,
  };
}

/** After this process, and with it a deck that loads, stood still for so many milliseconds: that has as much time left as before. */
export function heldUp(state: LoopState, ms: number): LoopState {
  const queue = state.queue.map((one) => (isLoading(one) ? { ...one, cuedAt: one.cuedAt + ms } : one));
  return { ...state, queue };
}

/**
 * Takes in what happened at `now` and says what to do about it, in order. Pure: the same arguments give the same
 * answer; `random`, in [0, 1), is the only chance there is. Events about playouts that are over change nothing.
 */
export function step(state: LoopState, event: LoopEvent, now: Instant, random: number): Step {
  let [current, effects] = note(state, event, now, random);
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const advanced = firstOf(current, now, random);
    if (advanced === null) return [current, effects];
    current = advanced[0];
    effects = [...effects, ...advanced[1]];
  }
  throw new Error("the loop does not come to an end");
}

/** Each rule brings the loop nearer to an end; this bound turns a mistake in them into an error instead of a hang. */
const MOST_TURNS = 100;

function firstOf(state: LoopState, now: Instant, random: number): Step | null {
  for (const rule of RULES) {
    const advanced = rule(state, now, random);
    if (advanced !== null) return advanced;
  }
  return null;
}

function note(state: LoopState, event: LoopEvent, now: Instant, random: number): Step {
  switch (event.kind) {
    case "started":
    case "woke":
      return [state, []];
    case "spot-received":
      return noteSpot(state, event.spot, event.requestedAt, now, random);
    case "spot-unfilled":
      return state.request.kind === "sent" ? [noteUnfilled(state, event.reason, now, random), []] : [state, []];
    case "request-withdrawn":
      return state.request.kind === "sent" ? [{ ...state, request: { kind: "idle" } }, []] : [state, []];
    case "item-fetched":
      return noteFetched(state, event.playout, now);
    case "page-recorded":
      return noteRecorded(state, event.playout, event.leadMs, now);
    case "item-lost":
      return noteLost(state, event.playout, event.reason, now, random);
    case "deck-ready":
      return [{ ...state, queue: state.queue.map((waiting) => readied(waiting, event.playout)) }, []];
    case "deck-painted":
      return notePainted(state, event.playout, event.paintedAt);
    case "deck-failed":
      return noteFailed(state, event.playout, event.reason, now, random);
    case "suspend":
      return [{ ...state, suspendReasons: suspended(state.suspendReasons, event.because) }, []];
    case "resume":
      return [{ ...state, suspendReasons: resumed(state.suspendReasons, event.because) }, []];
  }
}

function noteSpot(state: LoopState, spot: Spot, requestedAt: Instant, now: Instant, random: number): Step {
  if (state.request.kind !== "sent") return [state, []];
  const number = state.received + 1;
  const playouts = playoutsOf(spot, runningOrder(spot), number, requestedAt);
  const received: LoopState = { ...state, received: number, request: { kind: "idle" } };
  const reason = dropReason(state.suspendReasons);
  if (reason !== null) return [received, playouts.map((one) => failure(one, reason))];
  if (playouts.length === 0) return [noteUnfilled(received, { kind: "no-fill" }, now, random), []];
  const joining = playouts.map(
    (playout): Waiting => ({ playout, progress: "fetching", receivedAt: now, leadMs: 0, cuedAt: 0 }),
  );
  return [
    { ...received, queue: [...state.queue, ...joining] },
    playouts.map((playout): LoopEffect => ({ kind: "fetch", playout })),
  ];
}

function noteFetched(state: LoopState, id: PlayoutId, now: Instant): Step {
  const waiting = waitingIn(state, id, "fetching");
  if (waiting === undefined) return [state, []];
  const { playout } = waiting;
  if (playout.item.form !== "html") return [prepared(state, waiting, CUE_LEAD_MS, now), []];
  const queue = state.queue.map((one): Waiting => (one === waiting ? { ...one, progress: "recording" } : one));
  return [{ ...state, queue }, [{ kind: "record", playout }]];
}

/** A page that was cued meanwhile is on its way already. */
function noteRecorded(state: LoopState, id: PlayoutId, leadMs: number, now: Instant): Step {
  const waiting = waitingIn(state, id, "recording");
  return [waiting === undefined ? state : prepared(state, waiting, Math.min(leadMs, state.pageWithinMs), now), []];
}

function prepared(state: LoopState, waiting: Waiting, leadMs: number, now: Instant): LoopState {
  const fetched: Waiting = { ...waiting, progress: "fetched", leadMs };
  const queue = state.queue.map((one) => (one === waiting ? fetched : one));
  return notePreparation({ ...state, queue }, fetched, now);
}

function noteLost(state: LoopState, id: PlayoutId, reason: FailureReason, now: Instant, random: number): Step {
  const waiting = waitingIn(state, id, "fetching") ?? waitingIn(state, id, "recording");
  return waiting === undefined ? [state, []] : drop(state, waiting, reason, now, random);
}

function waitingIn({ queue }: LoopState, id: PlayoutId, progress: Progress): Waiting | undefined {
  return queue.find((one) => one.playout.id === id && one.progress === progress);
}

function readied(waiting: Waiting, id: PlayoutId): Waiting {
  return waiting.playout.id === id && isLoading(waiting) ? { ...waiting, progress: "ready" } : waiting;
}

function notePainted(state: LoopState, id: PlayoutId, paintedAt: Instant): Step {
  const slot = state.slot;
  if (slot === null || slot.playout.id !== id || slot.paintedAt !== null || slot.failed) return [state, []];
  // Only items that cover each other follow without a gap, and must not drift.
  const keepsInstant = slot.covered !== null && paintedAt - slot.startsAt <= LATE_PAINT_MS;
  const endsAt = keepsInstant ? slot.endsAt : shownWholeAt(slot, paintedAt);
  return [
    {
      ...state,
      unfilled: 0,
      requestTimes: rewarded(state.requestTimes),
      slot: { ...slot, paintedAt, endsAt, covered: null },
    },
    slot.covered === null ? [] : [{ kind: "clear", playout: slot.covered }],
  ];
}

function noteFailed(state: LoopState, id: PlayoutId, reason: FailureReason, now: Instant, random: number): Step {
  if (state.slot?.playout.id === id) return failSlot(state, state.slot, reason);
  const waiting = state.queue.find((one) => one.playout.id === id && hasDeck(one));
  return waiting === undefined ? [state, []] : drop(state, waiting, reason, now, random);
}
