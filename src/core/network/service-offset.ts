import type { Instant } from "../spot.ts";

/** The way of a request and of its answer's head, monotonic. */
export interface RoundTrip {
  /** Just before the request was sent. */
  readonly sentAt: Instant;
  /** When the head of the answer was there. */
  readonly heardAt: Instant;
}

/** A reading of the service's clock, made somewhere on the way. */
export interface TimeAnswer extends RoundTrip {
  /** The answer's `Date`, epoch milliseconds: the clock without its fraction of a second. */
  readonly time: Instant;
}

/** How far the service's clock is ahead of the monotonic one: no less than `lowMs` and no more than `highMs`. */
export interface OffsetBounds {
  readonly lowMs: number;
  readonly highMs: number;
  /** The monotonic instant for which both hold. */
  readonly at: Instant;
}

/** `Date` tells whole seconds (RFC 9110, 5.6.7). */
const TOLD_TO_MS = 1_000;

/** The share of the time by which two clocks run apart at most: five times what a PC's quartz is built for. */
export const DRIFT = 100e-6;

/** More exactly than that nobody needs the service's time: a take is late by as much now and then. */
const CLOSE_ENOUGH_MS = 50;

/**
 * What one answer says by itself: the service's clock showed `time` or up to a second more, at some instant of its way. The
 * clocks may have run apart since.
 */
export function boundsOf({ time, sentAt, heardAt }: TimeAnswer): OffsetBounds {
  const apartMs = (heardAt - sentAt) * DRIFT;
  return { lowMs: time - heardAt - apartMs, highMs: time + TOLD_TO_MS - sentAt + apartMs, at: heardAt };
}

/** The bounds at another instant: wider by what the clocks can have run apart since. */
export function boundsAt(known: OffsetBounds, now: Instant): OffsetBounds {
  const apartMs = Math.abs(now - known.at) * DRIFT;
  return { lowMs: known.lowMs - apartMs, highMs: known.highMs + apartMs, at: now };
}

/**
 * What is known after another answer: what both leave open. Answers come at all fractions of a second, so that this becomes
 * far less than a second. Where they contradict each other a clock was set, and only the last answer counts.
 */
export function narrowed(known: OffsetBounds, told: TimeAnswer): OffsetBounds {
  const said = boundsOf(told);
  const before = boundsAt(known, said.at);
  const both = { lowMs: Math.max(before.lowMs, said.lowMs), highMs: Math.min(before.highMs, said.highMs), at: said.at };
  return both.lowMs <= both.highMs ? both : said;
}

/** The bounds after the monotonic clock has stepped, by `stepMs` at most, in either direction. */
export function loosened({ lowMs, highMs, at }: OffsetBounds, stepMs: number): OffsetBounds {
  return { lowMs: lowMs - stepMs, highMs: highMs + stepMs, at };
}

/**
 * When, within a second from now, a request tells most: as the service's second most likely begins, so that its `Date` says
 * on which side of the middle the truth is, and the bounds come to lie half as far apart. Spots are asked for at the same
 * fraction of a second each, where items last whole seconds, and would tell nothing new. At once where enough is known.
 */
export function tellingAt(known: OffsetBounds, roundTripMs: number, now: Instant): Instant {
  const { offsetMs, withinMs } = middleOf(boundsAt(known, now));
  const thereMs = roundTripMs / 2;
  if (withinMs <= thereMs + CLOSE_ENOUGH_MS) return now;
  const intoSecondMs = (((now + thereMs + offsetMs) % TOLD_TO_MS) + TOLD_TO_MS) % TOLD_TO_MS;
  return intoSecondMs === 0 ? now : now + TOLD_TO_MS - intoSecondMs;
}

/** The most likely offset, and how far it can be from the true one. */
export function middleOf({ lowMs, highMs }: OffsetBounds): { readonly offsetMs: number; readonly withinMs: number } {
  return { offsetMs: (lowMs + highMs) / 2, withinMs: (highMs - lowMs) / 2 };
}
