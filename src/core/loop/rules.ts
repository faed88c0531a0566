import { deadlineOf, LAST_TRY_BEFORE_MS } from "../proofs/proof.ts";
import { type FailureReason, type Instant, LONGEST_ITEM_MS, type Playout, type PlayoutOutcome } from "../spot.ts";
import { backoffAfter, requested, type Unfilled } from "./pace.ts";
import {
  backoffUntil,
  cueAt,
  cutReason,
  dropReason,
  fetchDeadline,
  handoverAt,
  hasDeck,
  isBlanked,
  isReady,
  LATE_PAINT_MS,
  type LoopState,
  paintDeadline,
  readyDeadline,
  requestAt,
  type Slot,
  type Waiting,
} from "./state.ts";

/** What the player does next. */
export type LoopEffect =
  | { readonly kind: "request-spot" }
  | { readonly kind: "fetch"; readonly playout: Playout }
  /** Loads a page in the background, so that all that it asks for is on disk; a cue meanwhile takes that load over. */
  | { readonly kind: "record"; readonly playout: Playout }
  | { readonly kind: "cue"; readonly playout: Playout }
  | { readonly kind: "take"; readonly playout: Playout }
  /** Closes the playout's deck; with no deck left on top the slate shows. */
  | { readonly kind: "clear"; readonly playout: Playout }
  /** Shows black instead of everything, house content included, until "unblank". */
  | { readonly kind: "blank" }
  | { readonly kind: "unblank" }
  /** The playout is over; one that was shown is owed its proof now (G1). */
  | { readonly kind: "settle"; readonly playout: Playout; readonly outcome: PlayoutOutcome };

/** A loop's next state, and what to do, in order. */
export type Step = readonly [LoopState, readonly LoopEffect[]];

/** Moves the loop on when its time has come, else `null`. */
type Rule = (state: LoopState, now: Instant, random: number) => Step | null;

/** The rules of the loop, the first that applies first. */
export const RULES: readonly Rule[] = [
  cutShort,
  dropWaiting,
  changeBlanking,
  giveUpPainting,
  giveUpFetching,
  giveUpLoading,
  dropStale,
  handOver,
  takeFirst,
  cueNext,
  wakeUp,
  ask,
];

/** What nobody can see is neither shown nor proved (G2). */
function cutShort(state: LoopState): Step | null {
  const reason = cutReason(state.suspendReasons);
  if (reason === null || state.slot === null || state.slot.failed) return null;
  return failSlot(state, state.slot, reason);
}

/** A suspended screen has nothing waiting: a spot is for right away. The service did nothing wrong: no request counts as unfilled. */
function dropWaiting(state: LoopState): Step | null {
  const head = state.queue[0];
  const reason = dropReason(state.suspendReasons);
  return head === undefined || reason === null ? null : without(state, head, reason);
}

function changeBlanking(state: LoopState): Step | null {
  const blanked = isBlanked(state.suspendReasons) && (state.slot === null || state.slot.failed);
  return blanked === state.blanked ? null : [{ ...state, blanked }, [{ kind: blanked ? "blank" : "unblank" }]];
}

function giveUpPainting(state: LoopState, now: Instant): Step | null {
  if (state.slot === null || now < paintDeadline(state.slot)) return null;
  return failSlot(state, state.slot, "not-painted");
}

function giveUpFetching(state: LoopState, now: Instant, random: number): Step | null {
  const head = state.queue[0];
  if (head === undefined || now < fetchDeadline(state)) return null;
  return drop(state, head, "unfetchable", now, random);
}

function giveUpLoading(state: LoopState, now: Instant, random: number): Step | null {
  const head = state.queue[0];
  if (head === undefined || now < readyDeadline(state)) return null;
  return drop(state, head, "not-ready", now, random);
}

/**
 * A spot is for right away: one that waited too long for its turn is not begun (G3). The second item of one that was begun
 * in time has its turn within an item's length; beyond that the machine has slept.
 */
function dropStale(state: LoopState, now: Instant, random: number): Step | null {
  const stale = state.queue.find(({ playout }) => {
    const { spotNumber, requestedAt } = playout;
    const maxAgeMs = spotNumber > state.begunSpot ? state.maxAgeMs : state.maxAgeMs + LONGEST_ITEM_MS;
    return now - requestedAt > maxAgeMs || endsTooLate(playout, state.slot, now);
  });
  return stale === undefined ? null : drop(state, stale, "stale", now, random);
}

/**
 * Whether an item that waits would be shown and could not be proved any more (G9). It begins when the slot ends at the
 * earliest.
 */
function endsTooLate({ requestedAt, item }: Playout, slot: Slot | null, now: Instant): boolean {
  const beginsAt = Math.max(now, slot?.endsAt ?? now);
  return beginsAt + item.durationMs > deadlineOf(requestedAt) - LAST_TRY_BEFORE_MS;
}

function handOver(state: LoopState, now: Instant, random: number): Step | null {
  const { slot, queue } = state;
  if (slot === null || now < handoverAt(slot, queue)) return null;
  const head = queue[0];
  const settled = settle(slot, now);
  if (isReady(head)) {
    const startsAt = now - slot.endsAt > LATE_PAINT_MS ? now : slot.endsAt;
    const [taken, effects] = take(state, head, startsAt, slot.failed ? null : slot.playout);
    return [taken, [...effects, ...settled]];
  }
  const cleared: LoopEffect[] = slot.failed ? [] : [{ kind: "clear", playout: slot.playout }];
  // Blanked before the deck is closed: no house content in between.
  const blanking: LoopEffect[] = isBlanked(state.suspendReasons) && !state.blanked ? [{ kind: "blank" }] : [];
  const blanked = state.blanked || blanking.length > 0;
  const dueAt = queue.length > 0 ? slot.endsAt : null;
  const over: Step = [{ ...state, slot: null, dueAt, blanked }, [...blanking, ...cleared, ...settled]];
  return head?.progress === "fetching" ? missTurn(over, head, now, random) : over;
}

/** An item whose turn comes while it is not on disk fails then; what follows takes its place (G3). */
function missTurn([state, effects]: Step, late: Waiting, now: Instant, random: number): Step {
  const [dropped, more] = drop(state, late, "unfetchable", now, random);
  return [dropped, [...effects, ...more]];
}

function takeFirst(state: LoopState, now: Instant): Step | null {
  const head = state.queue[0];
  return state.slot === null && isReady(head) ? take(state, head, now, null) : null;
}

function cueNext(state: LoopState, now: Instant): Step | null {
  const [head, ...rest] = state.queue;
  if (head === undefined || now < cueAt(state)) return null;
  const cued: LoopState = { ...state, queue: [{ ...head, progress: "cued", cuedAt: now }, ...rest] };
  const next = head.progress === "recording" ? notePreparation(cued, head, now) : cued;
  return [next, [{ kind: "cue", playout: head.playout }]];
}

function wakeUp(state: LoopState, now: Instant): Step | null {
  return now < backoffUntil(state.request) ? null : [{ ...state, request: { kind: "idle" } }, []];
}

function ask(state: LoopState, now: Instant): Step | null {
  if (now < requestAt(state)) return null;
  const requestTimes = requested(state.requestTimes, now);
  return [{ ...state, request: { kind: "sent" }, requestTimes }, [{ kind: "request-spot" }]];
}

/** Ends the slot's playout without a proof; what is left of the slot is house content. */
export function failSlot(state: LoopState, slot: Slot, reason: FailureReason): Step {
  if (slot.failed) return [state, []];
  const decks = slot.covered === null ? [slot.playout] : [slot.playout, slot.covered];
  return [
    { ...state, slot: { ...slot, failed: true, covered: null } },
    [...decks.map((playout): LoopEffect => ({ kind: "clear", playout })), failure(slot.playout, reason)],
  ];
}

/** Removes a playout from the queue. A spot of which nothing was and nothing can be shown counts as an unfilled request. */
export function drop(state: LoopState, waiting: Waiting, reason: FailureReason, now: Instant, random: number): Step {
  const [taken, effects] = without(state, waiting, reason);
  const dropped = isPrepared(waiting) ? taken : notePreparation(taken, waiting, now);
  const missed = missedSlot(state, waiting, reason, now);
  if (missed !== null) return [begin(dropped, missed), effects];
  const { spotNumber } = waiting.playout;
  const lost = spotNumber > state.begunSpot && !dropped.queue.some((one) => one.playout.spotNumber === spotNumber);
  return [lost ? noteUnfilled(dropped, { kind: "unavailable" }, now, random) : dropped, effects];
}

/** One item of a spot is on its way no more: with the last one its preparation is over, and how long it took is known. */
export function notePreparation(state: LoopState, { playout, receivedAt }: Waiting, now: Instant): LoopState {
  const others = state.queue.filter((one) => one.playout.spotNumber === playout.spotNumber);
  return others.every(isPrepared) ? { ...state, recentPreparationMs: now - receivedAt } : state;
}

function isPrepared({ progress }: Waiting): boolean {
  return progress !== "fetching" && progress !== "recording";
}

function without(state: LoopState, waiting: Waiting, reason: FailureReason): Step {
  const { playout } = waiting;
  const cleared: LoopEffect[] = hasDeck(waiting) ? [{ kind: "clear", playout }] : [];
  const queue = state.queue.filter((one) => one !== waiting);
  return [{ ...state, queue }, [...cleared, failure(playout, reason)]];
}

/**
 * What had a deck and failed when its turn had come holds its planned slot to the end, with house content in it: what
 * follows keeps its instant. `null` where its turn had not come, or its slot is over.
 */
function missedSlot({ queue, dueAt }: LoopState, waiting: Waiting, reason: FailureReason, now: Instant): Slot | null {
  if (dueAt === null || queue[0] !== waiting || !hasDeck(waiting) || reason === "stale") return null;
  const endsAt = dueAt + waiting.playout.item.durationMs;
  return now < endsAt
    ? { playout: waiting.playout, startsAt: dueAt, endsAt, paintedAt: null, failed: true, covered: null }
    : null;
}

/** Says that a playout ended without having been shown in full. */
export function failure(playout: Playout, reason: FailureReason): LoopEffect {
  return { kind: "settle", playout, outcome: { kind: "failed", reason } };
}

/** Counts an unfilled request, and backs off before the next one. */
export function noteUnfilled(state: LoopState, reason: Unfilled, now: Instant, random: number): LoopState {
  const unfilled = state.unfilled + 1;
  return { ...state, unfilled, request: { kind: "backoff", until: now + backoffAfter(reason, unfilled, random) } };
}

function take(state: LoopState, waiting: Waiting, startsAt: Instant, covered: Playout | null): Step {
  const { playout } = waiting;
  const queue = state.queue.filter((one) => one !== waiting);
  const endsAt = startsAt + playout.item.durationMs;
  const slot = { playout, startsAt, endsAt, paintedAt: null, failed: false, covered };
  return [begin({ ...state, queue }, slot), [{ kind: "take", playout }]];
}

function begin(state: LoopState, slot: Slot): LoopState {
  const begins = slot.playout.spotNumber > state.begunSpot;
  return {
    ...state,
    begunSpot: begins ? slot.playout.spotNumber : state.begunSpot,
    begunAt: begins ? slot.startsAt : state.begunAt,
    slot,
    dueAt: null,
  };
}

function settle(slot: Slot, now: Instant): LoopEffect[] {
  if (slot.failed || slot.paintedAt === null) return [];
  const outcome: PlayoutOutcome = { kind: "shown", paintedAt: slot.paintedAt, endedAt: now };
  return [{ kind: "settle", playout: slot.playout, outcome }];
}
