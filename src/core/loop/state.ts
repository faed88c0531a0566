import type { FailureReason, Instant, Playout } from "../spot.ts";
import { askAt, paceAt } from "./pace.ts";

/**
 * How far a playout is that waits for its turn: on its way to the disk; a page that is recorded; whole on the disk; with a
 * deck that loads and draws in the background; with one that can be taken.
 */
export type Progress = "fetching" | "recording" | "fetched" | "cued" | "ready";

/** A playout that waits for its turn; only the first in the queue has a deck. */
export interface Waiting {
  readonly playout: Playout;
  readonly progress: Progress;
  /** When its spot came. */
  readonly receivedAt: Instant;
  /** How long before its turn it is cued; known once it is fetched, and a page recorded. */
  readonly leadMs: number;
  readonly cuedAt: Instant;
}

/** The span of the screen's time that one playout holds, also when it fails in it: what follows keeps its instant. */
export interface Slot {
  readonly playout: Playout;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly paintedAt: Instant | null;
  readonly failed: boolean;
  /** The playout before, whose deck stays visible until this one is painted. */
  readonly covered: Playout | null;
}

/** The state of the request for the next spot. */
export type RequestState =
  | { readonly kind: "idle" }
  | { readonly kind: "sent" }
  | { readonly kind: "backoff"; readonly until: Instant };

/** All that a screen's loop knows. */
export interface LoopState {
  readonly maxAgeMs: number;
  /** How long a page may load: it is cued no earlier before its turn. */
  readonly pageWithinMs: number;
  readonly request: RequestState;
  /** Unfilled requests in a row: those that led to nothing on screen. */
  readonly unfilled: number;
  /** When spots were asked for lately, as far as the next request depends on it (`paceAt`). */
  readonly requestTimes: readonly Instant[];
  /** How many spots were received, and the number and start of the last one that reached the screen. */
  readonly received: number;
  readonly begunSpot: number;
  readonly begunAt: Instant;
  /** How long it took lately until the last item of a spot was on disk, or was given up. */
  readonly recentPreparationMs: number;
  /** The rest of the spot on air, then the spot after it, in running order. */
  readonly queue: readonly Waiting[];
  readonly slot: Slot | null;
  /** When the first in the queue was due, where nothing is on air because it was not ready then. */
  readonly dueAt: Instant | null;
  /** Why no spots are shown or asked for; none while the screen plays. */
  readonly suspendReasons: readonly SuspendReason[];
  /** The screen is black: not even house content is visible. */
  readonly blanked: boolean;
}

/** An item that is not on disk this long after its spot came fails if nothing is on air (G3). */
export const FETCH_WITHIN_MS = 30_000;
/** A deck that is not ready this long after its cue never will be; of pages the configuration may say less. */
export const READY_WITHIN_MS = 20_000;
/** One whose turn has come has less time, so that what follows can be cued for its own planned instant... */
export const LATE_READY_MS = 1_000;
/** ...but no less than a page with all that it loads takes at a slow network, where its cue was late itself. */
export const LOADING_MS = 6_000;
/** How much longer an item stays whose follower is still loading at its end: house content in between is a flash. */
export const MOMENT_MS = 300;
/** A deck that has painted nothing this long after its take is taken down. */
const PAINT_WITHIN_MS = 2_000;
/**
 * A first frame later than this (four frames at 60 Hz) moves the end of its slot, so that the item is still shown for
 * its whole duration.
 */
export const LATE_PAINT_MS = 67;
/** What is raised or closed is seen at the next refresh at the earliest: a deck that is to leave is closed this much before. */
export const SEEN_AFTER_MS = 16;
/** How long before its turn a video or an image is cued: time to decode a first frame. Pages say so themselves (F22). */
export const CUE_LEAD_MS = 6_000;

/**
 * A page whose recording is not over this long before its turn is cued as it is: its background load becomes the one
 * that is to be seen. It is never late for having been recorded (F22).
 */
export const UNRECORDED_LEAD_MS = 2_000;

const NEVER = Number.POSITIVE_INFINITY;
const AT_ONCE = Number.NEGATIVE_INFINITY;

/**
 * When the slot ends: on its planned instant when the next is ready to take over, otherwise not before the item had
 * been visible for its whole duration, and a moment later where the next is about to be ready. Never while its first
 * frame is awaited.
 */
export function handoverAt(slot: Slot, queue: readonly Waiting[]): Instant {
  if (slot.failed) return slot.endsAt;
  if (slot.paintedAt === null) return NEVER;
  if (isReady(queue[0])) return slot.endsAt;
  const wholeAt = shownWholeAt(slot, slot.paintedAt);
  return isLoading(queue[0]) ? wholeAt + MOMENT_MS : wholeAt;
}

/** When a slot whose first frame came at `paintedAt` may end, so that its item is seen for its whole duration. */
export function shownWholeAt({ playout, endsAt }: Slot, paintedAt: Instant): Instant {
  return Math.max(endsAt, paintedAt + playout.item.durationMs - SEEN_AFTER_MS);
}

/** Whether a deck can be taken at once. */
export function isReady(waiting: Waiting | undefined): waiting is Waiting & { readonly progress: "ready" } {
  return waiting?.progress === "ready";
}

/** Whether a deck loads and draws in the background. */
export function isLoading(waiting: Waiting | undefined): waiting is Waiting & { readonly progress: "cued" } {
  return waiting?.progress === "cued";
}

/** Whether a waiting playout has a deck, in whatever state. */
export function hasDeck(waiting: Waiting): boolean {
  return isLoading(waiting) || isReady(waiting);
}

/** When a slot whose first frame is awaited is given up. */
export function paintDeadline(slot: Slot | null): Instant {
  return slot === null || slot.failed || slot.paintedAt !== null ? NEVER : slot.startsAt + PAINT_WITHIN_MS;
}

/** When the first in the queue is cued: in time for its turn, once the deck before is out of the way. */
export function cueAt({ slot, queue: [head] }: LoopState): Instant {
  if (head?.progress !== "fetched" && head?.progress !== "recording") return NEVER;
  if (slot === null) return AT_ONCE;
  if (slot.paintedAt === null && !slot.failed) return NEVER;
  return slot.endsAt - (head.progress === "recording" ? UNRECORDED_LEAD_MS : head.leadMs);
}

/** When the first in the queue, not on disk, is given up with nothing on air; otherwise it is when its turn comes (G3). */
export function fetchDeadline({ slot, queue: [head] }: LoopState): Instant {
  return slot === null && head?.progress === "fetching" ? head.receivedAt + FETCH_WITHIN_MS : NEVER;
}

/** When the first in the queue, cued and not ready, is given up. */
export function readyDeadline({ queue: [head], dueAt, pageWithinMs }: LoopState): Instant {
  if (!isLoading(head)) return NEVER;
  const late = dueAt === null ? NEVER : Math.max(dueAt + LATE_READY_MS, head.cuedAt + LOADING_MS);
  const within = head.playout.item.form === "html" ? pageWithinMs : READY_WITHIN_MS;
  return Math.min(late, head.cuedAt + within);
}

/** When the next spot is asked for. */
export function requestAt(state: LoopState): Instant {
  if (state.request.kind !== "idle" || state.suspendReasons.length > 0) return NEVER;
  return Math.max(wantedAt(state), paceAt(state.requestTimes, state.unfilled));
}

/** When the next spot is wanted: one on air and at most one waiting (G4). */
function wantedAt(state: LoopState): Instant {
  const { slot, queue, begunAt } = state;
  if (slot === null) return queue.length === 0 ? AT_ONCE : NEVER;
  // The first frame has the machine to itself.
  if (slot.paintedAt === null && !slot.failed) return NEVER;
  const rest = queue.filter((waiting) => waiting.playout.spotNumber === slot.playout.spotNumber);
  if (rest.length < queue.length) return NEVER;
  const spotEndsAt = rest.reduce((at, waiting) => at + waiting.playout.item.durationMs, slot.endsAt);
  return askAt(begunAt, spotEndsAt, state);
}

/** When the backoff after an unfilled request is over. */
export function backoffUntil(request: RequestState): Instant {
  return request.kind === "backoff" ? request.until : NEVER;
}

/** Whether an item becomes visible within so long, as far as that is planned: nothing is to hold that up. */
export function isRaisingWithin({ slot, queue }: LoopState, withinMs: number, now: Instant): boolean {
  if (slot === null) return queue.some(hasDeck);
  return (slot.paintedAt === null && !slot.failed) || slot.endsAt - now < withinMs;
}

/** When "woke" is due if nothing else happens before, or `null` for never. */
export function wakeAt(state: LoopState): Instant | null {
  const { slot, queue } = state;
  const at = Math.min(
    slot === null ? NEVER : handoverAt(slot, queue),
    paintDeadline(slot),
    cueAt(state),
    fetchDeadline(state),
    readyDeadline(state),
    requestAt(state),
    backoffUntil(state.request),
  );
  return at === NEVER ? null : at;
}

/** Why a screen is suspended: it shows no spots and asks for none. */
export type SuspendReason = "closed" | "hours-awaited" | "hidden" | "switched-off" | "overridden" | "ending";

/** What a suspension does to the item on air, why what waits is not shown, and whether the screen is blanked meanwhile. */
interface Suspension {
  /** The item on air ends at once and unproved; otherwise it has its whole duration, and its proof. */
  readonly cutsShort: boolean;
  readonly failure: FailureReason;
  /** `blank`: not even house content is visible. `show`: not blanked, whatever other reasons there are. */
  readonly blanking: "blank" | "show" | "unchanged";
}

const SUSPENSIONS: Readonly<Record<SuspendReason, Suspension>> = {
  /** Outside opening hours those who are still there see the item to its end. */
  closed: { cutsShort: false, failure: "closed", blanking: "blank" },
  /** At the start, where it is not known yet whether the screen is closed. */
  "hours-awaited": { cutsShort: false, failure: "closed", blanking: "unchanged" },
  /** Nobody can see the screen: what is hidden is never proved (G2). */
  hidden: { cutsShort: true, failure: "hidden", blanking: "unchanged" },
  /** The operator has switched the display off. */
  "switched-off": { cutsShort: true, failure: "hidden", blanking: "blank" },
  /** The operator's message or test card lies over everything, and is to be seen at any hour. */
  overridden: { cutsShort: true, failure: "overridden", blanking: "show" },
  /** The player is about to begin anew. */
  ending: { cutsShort: false, failure: "stopped", blanking: "unchanged" },
};

/** Adds a reason, once. */
export function suspended(reasons: readonly SuspendReason[], because: SuspendReason): readonly SuspendReason[] {
  return reasons.includes(because) ? reasons : [...reasons, because];
}

/** Takes a reason away; the screen plays again when none is left. */
export function resumed(reasons: readonly SuspendReason[], because: SuspendReason): readonly SuspendReason[] {
  return reasons.filter((reason) => reason !== because);
}

/** Why what waits is dropped, or `null` while the screen is not suspended. */
export function dropReason([first]: readonly SuspendReason[]): FailureReason | null {
  return first === undefined ? null : SUSPENSIONS[first].failure;
}

/** Why the item on air is cut short, or `null` when it is not. */
export function cutReason(reasons: readonly SuspendReason[]): FailureReason | null {
  const cutting = reasons.find((reason) => SUSPENSIONS[reason].cutsShort);
  return cutting === undefined ? null : SUSPENSIONS[cutting].failure;
}

/** Whether the screen is blanked once nothing is on air, instead of showing house content. */
export function isBlanked(reasons: readonly SuspendReason[]): boolean {
  const effects = reasons.map((reason) => SUSPENSIONS[reason].blanking);
  return effects.includes("blank") && !effects.includes("show");
}
