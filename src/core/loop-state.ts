import { askAt } from "./pace.ts";
import type { Playout, PlayoutId } from "./playout.ts";
import type { RestReason } from "./rest.ts";
import type { Instant } from "./spot.ts";

/** A playout whose media is on disk, waiting for its turn; only the first in line has a deck. */
export interface Waiting {
  readonly playout: Playout;
  /** A warm deck draws already, out of sight. */
  readonly deck: "none" | "cued" | "ready" | "warm";
  readonly cuedAt: Instant;
}

/** The span of the screen's time that one playout holds, also when it fails in it: what follows keeps its instant. */
export interface Slot {
  readonly playout: Playout;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly paintedAt: Instant | null;
  readonly failed: boolean;
  /** The playout before, whose deck stays in sight until this one is painted. */
  readonly covered: Playout | null;
}

/** A spot whose items are on their way to the disk. */
export interface Preparation {
  readonly startedAt: Instant;
  readonly playouts: readonly Playout[];
  readonly pending: readonly PlayoutId[];
}

/** Whether the service is being asked for a spot. */
export type Asking =
  | { readonly kind: "idle" }
  | { readonly kind: "asked" }
  | { readonly kind: "resting"; readonly until: Instant };

/** All that a screen's loop knows. */
export interface LoopState {
  readonly maxAgeMs: number;
  /** How long a page may load, and how long before its turn it is cued therefore. */
  readonly pageWithinMs: number;
  readonly asking: Asking;
  /** Spot requests in a row that led to nothing on screen. */
  readonly misses: number;
  /** How many spots were received, and the number and start of the last one that reached the screen. */
  readonly received: number;
  readonly begunSpot: number;
  readonly begunAt: Instant;
  readonly preparation: Preparation | null;
  readonly recentPreparationMs: number;
  /** The rest of the spot on air, then the ready spot. */
  readonly line: readonly Waiting[];
  readonly slot: Slot | null;
  /** When the first in line was due, where nothing is on air because it was not ready then. */
  readonly dueAt: Instant | null;
  /** Why no spots are shown or asked for; none while the screen plays. */
  readonly resting: readonly RestReason[];
  /** Not even house content is in sight. */
  readonly dark: boolean;
}

/** A deck that is not ready this long after its cue never will be; of pages the configuration may say less. */
export const READY_WITHIN_MS = 20_000;
/** One whose turn has come has less time, so that what follows can be cued for its own planned instant... */
export const LATE_READY_MS = 1_000;
/** ...but no less than a page with all that it loads takes at a slow network, where its cue was late itself. */
export const LOADING_MS = 6_000;
/** A deck that has painted nothing this long after its take is taken down. */
export const PAINT_WITHIN_MS = 2_000;
/**
 * A first frame later than this (four frames at 60 Hz) moves the end of its slot, so that the item is still shown for
 * its whole duration.
 */
export const LATE_PAINT_MS = 67;
/** How long before its turn a video or an image is cued: time to decode a first frame. */
export const CUE_LEAD_MS = 6_000;

/** How long before its turn a ready deck begins to draw: time for a heavy page's first frames, not for its opening. */
export const WARM_LEAD_MS = 300;

const NEVER = Number.POSITIVE_INFINITY;

/**
 * When the slot ends: on its planned instant when the next is ready to take over, otherwise not before the item had
 * its whole duration in sight. Never while its first frame is still awaited.
 */
export function handoverAt(slot: Slot, line: readonly Waiting[]): Instant {
  if (slot.failed) return slot.endsAt;
  if (slot.paintedAt === null) return NEVER;
  if (isReady(line[0])) return slot.endsAt;
  return Math.max(slot.endsAt, slot.paintedAt + slot.playout.item.durationMs);
}

/** Whether a deck can be taken at once. */
export function isReady(waiting: Waiting | undefined): waiting is Waiting {
  return waiting?.deck === "ready" || waiting?.deck === "warm";
}

/** When the first in line begins to draw below the one in sight. With nothing above it is taken at once instead. */
export function warmAt(slot: Slot | null, line: readonly Waiting[]): Instant {
  return slot === null || line[0]?.deck !== "ready" ? NEVER : slot.endsAt - WARM_LEAD_MS;
}

/** When a slot whose first frame is awaited is given up. */
export function paintDeadline(slot: Slot | null): Instant {
  return slot === null || slot.failed || slot.paintedAt !== null ? NEVER : slot.startsAt + PAINT_WITHIN_MS;
}

/** When the first in line gets the deck below: in time for its turn, once the deck before is out of the way. */
export function cueAt({ slot, line, pageWithinMs }: LoopState): Instant {
  const head = line[0];
  if (head === undefined || head.deck !== "none") return NEVER;
  if (slot === null) return -NEVER;
  if (slot.paintedAt === null && !slot.failed) return NEVER;
  return slot.endsAt - (head.playout.item.form === "html" ? Math.max(pageWithinMs, CUE_LEAD_MS) : CUE_LEAD_MS);
}

/** When the first in line, cued and not ready, is given up. */
export function readyDeadline({ line, dueAt, pageWithinMs }: LoopState): Instant {
  const head = line[0];
  if (head?.deck !== "cued") return NEVER;
  const late = dueAt === null ? NEVER : Math.max(dueAt + LATE_READY_MS, head.cuedAt + LOADING_MS);
  const within = head.playout.item.form === "html" ? pageWithinMs : READY_WITHIN_MS;
  return Math.min(late, head.cuedAt + within);
}

/** When the next spot is asked for: one on air and at most one ready (G4), and none while nobody could see it. */
export function requestAt(state: LoopState): Instant {
  const { asking, preparation, slot, line } = state;
  if (asking.kind !== "idle" || preparation !== null || state.resting.length > 0) return NEVER;
  if (slot === null) return line.length === 0 ? -NEVER : NEVER;
  // The first frame has the machine to itself.
  if (slot.paintedAt === null && !slot.failed) return NEVER;
  const rest = line.filter((waiting) => waiting.playout.spotNumber === slot.playout.spotNumber);
  if (rest.length < line.length) return NEVER;
  const spotEndsAt = rest.reduce((at, waiting) => at + waiting.playout.item.durationMs, slot.endsAt);
  return askAt(state.begunAt, spotEndsAt, state.recentPreparationMs);
}

/** When the rest after a miss is over. */
export function restUntil(asking: Asking): Instant {
  return asking.kind === "resting" ? asking.until : NEVER;
}

/** When "woke" is due if nothing else happens before, or `null` for never. */
export function wakeAt(state: LoopState): Instant | null {
  const { slot, line } = state;
  const at = Math.min(
    slot === null ? NEVER : handoverAt(slot, line),
    paintDeadline(slot),
    cueAt(state),
    readyDeadline(state),
    warmAt(slot, line),
    requestAt(state),
    restUntil(state.asking),
  );
  return at === NEVER ? null : at;
}
