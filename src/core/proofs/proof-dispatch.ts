import type { Instant } from "../spot.ts";

/** A proof, as far as it matters for when it is sent. */
export interface Sendable {
  readonly id: number;
  /** Monotonic; nothing is sent from then on (G9). */
  readonly deadline: Instant;
}

/** A try that is under way. */
export interface Send {
  readonly proof: Sendable;
  readonly begunAt: Instant;
  /** Whether the proof's try before this one was slow. */
  readonly wasSlow: boolean;
}

/** Proofs whose turn it is, read from the store some at a time; of either sort the soonest deadline comes first. */
export interface SendQueue<P extends Sendable> {
  /** Never tried: they go before the others. */
  readonly fresh: readonly P[];
  readonly tried: readonly P[];
  /** Of which sort the store has more than was read. */
  readonly more: { readonly fresh: boolean; readonly tried: boolean };
  /** Whether many wait: from when the store had more than was read until nobody is left. */
  readonly isBacklogged: boolean;
}

/** A proof that is to be sent again before the store knows what came of its last try. */
export interface Resend<P extends Sendable> {
  readonly proof: P;
  readonly at: Instant;
}

/** All that decides what is sent next. */
export interface DispatchState<P extends Sendable> {
  readonly queue: SendQueue<P>;
  readonly resends: readonly Resend<P>[];
  readonly underWay: readonly Send[];
  /** The ids of proofs whose last try was slow. */
  readonly slow: ReadonlySet<number>;
}

/** What to do now, and until when nothing more. */
export interface Dispatch<P extends Sendable> {
  /** Tries to begin, in this order. */
  readonly send: readonly P[];
  /** The ids of proofs whose try is to be broken off, since their hour is over (G9). */
  readonly abort: readonly number[];
  /** What is left of the queue. */
  readonly queue: SendQueue<P>;
  /** When to look again if nothing happens before; infinite for never. */
  readonly lookAgainAt: Instant;
}

/** How many proofs of each sort are read ahead: many times as many as are under way, and soon read. */
export const READ_AHEAD = 128;

/** How many are under way at once while many wait: enough to work off an outage of an hour in seconds. */
export const SENDS_AT_ONCE = 8;

/** A try is slow from then on: no other waits for it any more, nor for a later try of that proof. */
export const SLOW_AFTER_MS = 1_000;

/** How many are under way at most, slow ones included: each keeps a socket. */
export const MOST_SENDS = 64;

/** How many of them may be later tries of proofs that were slow: what hangs leaves room for the others. */
export const MOST_SLOW_SENDS = 48;

/** A queue in which nobody waits. */
export const NO_QUEUE: SendQueue<never> = {
  fresh: [],
  tried: [],
  more: { fresh: false, tried: false },
  isBacklogged: false,
};

/**
 * Decides which proofs are sent now (G8): those never tried first, then those tried before, then the slow ones; of each
 * sort the soonest deadline. One by one as long as few wait, so that a crash repeats one at most (G10); when many do,
 * several at once. None waits for another that is slow.
 */
export function nextDispatch<P extends Sendable>(state: DispatchState<P>, now: Instant): Dispatch<P> {
  const { resends, underWay, slow } = state;
  const queue = withoutExpired(state.queue, now);
  const due = resends.filter(({ proof, at }) => at <= now && proof.deadline > now).map(({ proof }) => proof);
  const waiting = [...inTurn(queue, slow), ...due.sort((one, other) => one.deadline - other.deadline)];
  const send = fitting(waiting, { ...state, queue }, now);
  const begun = send.map((proof) => ({ proof, begunAt: now, wasSlow: slow.has(proof.id) }));
  return {
    send,
    abort: underWay.filter(({ proof }) => proof.deadline <= now).map(({ proof }) => proof.id),
    queue: without(queue, new Set(send)),
    lookAgainAt: Math.min(
      nextEvent([...underWay, ...begun], waiting.length > send.length, now),
      ...resends.filter(({ at }) => at > now).map(({ at }) => at),
    ),
  };
}

/** The queue with what was read of the store just now in place of what it held: at most `READ_AHEAD` of either sort. */
export function readAnew<P extends Sendable>(
  { isBacklogged }: SendQueue<P>,
  fresh: readonly P[],
  tried: readonly P[],
): SendQueue<P> {
  const more = { fresh: fresh.length === READ_AHEAD, tried: tried.length === READ_AHEAD };
  return { fresh, tried, more, isBacklogged: isBacklogged || more.fresh || more.tried };
}

/** Whether somebody in the queue waits for a free place. */
export function isWaiting({ fresh, tried }: Pick<SendQueue<Sendable>, "fresh" | "tried">): boolean {
  return fresh.length + tried.length > 0;
}

/** Whether the store has more that is due than was read. */
export function hasMore({ more }: Pick<SendQueue<Sendable>, "more">): boolean {
  return more.fresh || more.tried;
}

/** Whether the queue has run out of a sort of which the store has more. */
export function needsReload({ fresh, tried, more }: SendQueue<Sendable>): boolean {
  return (more.fresh && fresh.length === 0) || (more.tried && tried.length === 0);
}

/** The store ends the hour of those that are dropped. */
function withoutExpired<P extends Sendable>(queue: SendQueue<P>, now: Instant): SendQueue<P> {
  const isInTime = ({ deadline }: Sendable) => deadline > now;
  return { ...queue, fresh: queue.fresh.filter(isInTime), tried: queue.tried.filter(isInTime) };
}

function inTurn<P extends Sendable>({ fresh, tried }: SendQueue<P>, slow: ReadonlySet<number>): readonly P[] {
  return [...fresh, ...tried.filter(({ id }) => !slow.has(id)), ...tried.filter(({ id }) => slow.has(id))];
}

/** Those for which there is room. */
function fitting<P extends Sendable>(
  waiting: readonly P[],
  { queue, underWay, slow }: DispatchState<P>,
  now: Instant,
): readonly P[] {
  const atOnce = queue.isBacklogged ? SENDS_AT_ONCE : 1;
  let room = MOST_SENDS - underWay.length;
  let slowRoom = MOST_SLOW_SENDS - underWay.filter(({ wasSlow }) => wasSlow).length;
  let steadyRoom = atOnce - underWay.filter((send) => !send.wasSlow && !isSlow(send, now)).length;
  return waiting.filter(({ id }) => {
    const fits = room > 0 && (slow.has(id) ? slowRoom : steadyRoom) > 0;
    if (!fits) return false;
    room--;
    if (slow.has(id)) slowRoom--;
    else steadyRoom--;
    return true;
  });
}

/** Whether a try has gone on for long by now. */
export function isSlow({ begunAt }: Pick<Send, "begunAt">, now: Instant): boolean {
  return now - begunAt >= SLOW_AFTER_MS;
}

function without<P extends Sendable>(queue: SendQueue<P>, sent: ReadonlySet<P>): SendQueue<P> {
  const isLeft = (proof: P) => !sent.has(proof);
  const left = { ...queue, fresh: queue.fresh.filter(isLeft), tried: queue.tried.filter(isLeft) };
  return { ...left, isBacklogged: queue.isBacklogged && (isWaiting(left) || hasMore(left)) };
}

/** When one of the tries runs out of its hour or, where others wait, becomes slow. */
function nextEvent(inFlight: readonly Send[], othersWait: boolean, now: Instant): Instant {
  let at = Number.POSITIVE_INFINITY;
  for (const { proof, begunAt } of inFlight) {
    if (proof.deadline > now) at = Math.min(at, proof.deadline);
    if (othersWait && begunAt + SLOW_AFTER_MS > now) at = Math.min(at, begunAt + SLOW_AFTER_MS);
  }
  return at;
}
