import type { Instant } from "../spot.ts";

/** Why a spot request was not filled. */
export type Unfilled =
  | { readonly kind: "no-fill" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  | { readonly kind: "denied" };

/** A spot is asked for this long before the spot on air ends, unless downloads take longer (G4). */
const SHORTEST_LEAD_MS = 20_000;
/** However slow downloads are, a spot asked for earlier than this would be stale too often. */
const LONGEST_LEAD_MS = 5 * 60_000;
/** Wait after a 429 that does not say how long (G7). */
const LIMITED_WAIT_MS = 30_000;
/** Longest wait that a 429 can order: past it a screen would stay without spots because of one bad header. */
const LONGEST_LIMITED_WAIT_MS = 60 * 60_000;
/** Wait after 401, 403 or 404: somebody must change the configuration or the screen (G7). */
const DENIED_WAIT_MS = 5 * 60_000;

/**
 * The most spot requests in a minute in which nothing is shown, whatever the answers are: as many as the backoff
 * allows by itself, and one more.
 */
export const MOST_REQUESTS_A_MINUTE = 8;
const MINUTE_MS = 60_000;
/** Two spots that are shown are asked for in this time at most, however short their items say that they are. */
export const TWO_REQUESTS_MS = 2_000;

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 120_000;
/** A wait is up to this share shorter, the longest too: screens that lost the service together come back one by one. */
const SPREAD = 0.2;

/**
 * How long to back off after an unfilled request, in milliseconds. `unfilled` counts those in a row, this one included: the
 * first is repeated at once, then 2 s doubling to 2 min, each shorter by up to a fifth (G6). A 429 can make it longer and
 * never shorter (A14). `random` is in [0, 1).
 */
export function backoffAfter(reason: Unfilled, unfilled: number, random: number): number {
  const ordinaryMs = ordinaryWait(unfilled, random);
  switch (reason.kind) {
    case "limited":
      return Math.max(ordinaryMs, Math.min(reason.retryAfterMs ?? LIMITED_WAIT_MS, LONGEST_LIMITED_WAIT_MS));
    case "denied":
      return DENIED_WAIT_MS;
    case "no-fill":
    case "unavailable":
      return ordinaryMs;
  }
}

function ordinaryWait(unfilled: number, random: number): number {
  if (unfilled < 2) return 0;
  const doubledMs = Math.min(FIRST_WAIT_MS * 2 ** (unfilled - 2), LONGEST_WAIT_MS);
  return doubledMs * (1 - SPREAD * random);
}

/**
 * The instant before which no spot is asked for, given the instants of the latest requests. After an unfilled
 * request the backoff keeps them apart.
 */
export function paceAt(requests: readonly Instant[], unfilled: number): Instant {
  const first = requests.length < MOST_REQUESTS_A_MINUTE ? undefined : requests[0];
  const lastButOne = unfilled > 0 ? undefined : requests.at(-2);
  return Math.max((first ?? NEVER_YET) + MINUTE_MS, (lastButOne ?? NEVER_YET) + TWO_REQUESTS_MS);
}

/** The requests that `paceAt` looks at once another is made at `now`. */
export function requested(requests: readonly Instant[], now: Instant): readonly Instant[] {
  return [...requests, now].slice(-MOST_REQUESTS_A_MINUTE);
}

/** The requests that `paceAt` looks at once something is on screen. */
export function rewarded(requests: readonly Instant[]): readonly Instant[] {
  return requests.slice(-2);
}

const NEVER_YET = Number.NEGATIVE_INFINITY;

/** What decides how long before its turn a spot is asked for. */
export interface LeadLimits {
  readonly recentPreparationMs: number;
  /** Of a spot when it begins. */
  readonly maxAgeMs: number;
}

/** When to ask for the spot after the one on air: at its start or `leadOf` before its end, whichever is later (G4). */
export function askAt(spotStartedAt: Instant, spotEndsAt: Instant, limits: LeadLimits): Instant {
  return Math.max(spotStartedAt, spotEndsAt - leadOf(limits));
}

/** Never so long that what was asked for is stale when its turn comes. */
function leadOf({ recentPreparationMs, maxAgeMs }: LeadLimits): number {
  return Math.min(Math.max(SHORTEST_LEAD_MS, 2 * recentPreparationMs), LONGEST_LEAD_MS, maxAgeMs / 2);
}
