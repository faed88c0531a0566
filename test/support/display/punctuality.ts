import type { ShownItem } from "../creatives/running-order.ts";
import { HOUSE, UNDRAWN } from "./eye.ts";
import { FRAME_MS } from "./recording.ts";
import type { Sighting } from "./sightings.ts";
import { HeldUp, type Stall, stalledMsIn } from "./stalls.ts";

/** How a recording's items kept their lengths, as far as the machine kept up. */
export interface Punctuality {
  /** Items that were longer or shorter than they may be, by more than the stalls that touched them. */
  readonly wrong: readonly Mistimed[];
  /** Items that were longer or shorter than they may be, but were touched by so much stall that it says nothing. */
  readonly inconclusive: readonly Mistimed[];
  /**
   * By how much items came late for a stall and would be wrong without it. An item painted late stays for its whole
   * duration (G1), so this much may move all that follows.
   */
  readonly excusedMs: number;
  /** How much later or earlier the last item began than all durations before it say, less what stalls excuse. */
  readonly driftMs: number;
}

/** An item as it was seen, and how long it was to be: `boundMs` is how far it may be off where no stall touches it. */
export interface Timed extends Sighting {
  readonly durationMs: number;
  readonly boundMs: number;
}

/** Sightings with the durations of what they are of, in order. */
export function timed(
  sightings: readonly Sighting[],
  durationsMs: readonly number[],
  boundMs: number,
): readonly Timed[] {
  return sightings.map((one, index) => ({ ...one, durationMs: durationsMs[index] ?? 0, boundMs }));
}

/** Items that are shown one after the other, and whatever was seen between them, which is to last for no time at all. */
export function inOrder(
  sightings: readonly Sighting[],
  items: readonly ShownItem[],
  boundMs: number,
): readonly Timed[] {
  let next = sightings.findIndex(({ sight }) => sight === items[0]?.creative);
  return items.flatMap(({ creative, durationMs }) => {
    const at = sightings.findIndex(({ sight }, index) => index >= next && sight === creative);
    if (next < 0 || at < 0) return [];
    const strays = sightings.slice(next, at).map((one) => ({ ...one, durationMs: 0, boundMs: 0 }));
    next = at + 1;
    return [...strays, { ...(sightings[at] as Sighting), durationMs, boundMs }];
  });
}

/** An item whose length is not its duration. */
export interface Mistimed {
  readonly sight: string;
  readonly startS: number;
  readonly lengthMs: number;
  readonly durationMs: number;
  readonly boundMs: number;
  readonly offMs: number;
  /** Stall just before its end where it was too long, just before its beginning where it was too short. */
  readonly stalledMs: number;
}

/** Between an item's instant and the frame that shows it lie painting, drawing and the grab of the screen. */
const REACH_MS = 50;
/** A machine that stood still for this long did not keep up, and what came of it may take longer than the stall itself. */
export const STARVED_MS = 100;
/** No stall excuses more than this: an item that is off by more because of stalls says nothing. */
export const STALL_CEILING_MS = 250;

/**
 * Judges each item's length by the instants of its first frame and of the first one after it. Only a stall just before
 * the one that is late touches it; an item that no stall touched has its bound and not more.
 */
export function punctualityOf(items: readonly Timed[], stalls: readonly Stall[]): Punctuality {
  const late = items.map((item) => mistimed(item, stalls)).filter(({ offMs, boundMs }) => offMs > boundMs);
  // What a stall held up is seen at the refresh that follows.
  const isExplained = ({ offMs, boundMs, stalledMs }: Mistimed) =>
    offMs <= boundMs + (stalledMs > 0 ? stalledMs + FRAME_MS : 0);
  // A machine that holds the player up for as long as an item may be off does not keep up.
  const isStarved = (item: Mistimed) =>
    item.stalledMs >= (isStray(item) ? STARVED_MS : Math.min(STARVED_MS, item.boundMs));
  const isSlight = ({ offMs, boundMs }: Mistimed) => offMs <= boundMs + STALL_CEILING_MS;
  // Whatever excuses it, what is seen between items is not in the order that is asked for.
  const isStray = ({ durationMs }: Mistimed) => durationMs === 0;
  // A machine that stands still leaves in sight what there was: house content comes of it, and nothing of these.
  const isUndrawn = (item: Mistimed) => isStray(item) && UNDRAWN.includes(item.sight);
  const isWrong = (item: Mistimed) => isUndrawn(item) || (!isExplained(item) && !isStarved(item));
  const isExcused = (item: Mistimed) => isExplained(item) && isSlight(item) && !isStray(item);
  const excused = late.filter(isExcused).map(({ lengthMs, durationMs }) => lengthMs - durationMs);
  const [laterMs, earlierMs] = [sum(excused.filter((ms) => ms > 0)), sum(excused.filter((ms) => ms < 0))];
  const tookMs = (items.at(-1)?.startAt ?? 0) - (items[0]?.startAt ?? 0);
  const plannedMs = sum(items.slice(0, -1).map(({ durationMs }) => durationMs));
  return {
    wrong: late.filter(isWrong),
    inconclusive: late.filter((item) => !isWrong(item) && !isExcused(item)),
    excusedMs: laterMs,
    driftMs: Math.max(0, tookMs - plannedMs - laterMs, earlierMs - (tookMs - plannedMs)),
  };
}

/**
 * Of what was seen between items that are shown one after the other, however long those were, what says nothing. An item is
 * got ready while the one before is in sight: where the machine stood still then, in one go and for as long as house content
 * was seen after it, that touched it, too.
 */
export function strays(
  sightings: readonly Sighting[],
  items: readonly ShownItem[],
  stalls: readonly Stall[],
): Pick<Punctuality, "inconclusive"> {
  const all = inOrder(sightings, items, 0);
  const inconclusive = all.flatMap((stray, index) => {
    if (stray.durationMs > 0) return [];
    const readyFrom = all[index - 1]?.startAt ?? stray.startAt;
    const longestMs = Math.max(0, ...stalls.map((stall) => stalledMsIn([stall], readyFrom, stray.startAt)));
    const cameLate = stray.sight === HOUSE && longestMs >= Math.max(STARVED_MS, stray.lengthMs);
    return cameLate ? [mistimed(stray, stalls)] : punctualityOf([stray], stalls).inconclusive;
  });
  return { inconclusive };
}

/** Whether the machine stood still where an item began late or ended late, so that its length says nothing. */
export function isHeldUp(item: Span, stalls: readonly Stall[]): boolean {
  return stalledNear(item, stalls) >= STARVED_MS;
}

function mistimed(item: Timed, stalls: readonly Stall[]): Mistimed {
  const { sight, startS, lengthMs, durationMs, boundMs } = item;
  return { sight, startS, lengthMs, durationMs, boundMs, offMs: offMsOf(item), stalledMs: stalledNear(item, stalls) };
}

/** From when to when an item was seen, and for how long it was to be. */
type Span = Pick<Timed, "startAt" | "lengthMs" | "durationMs">;

function offMsOf({ lengthMs, durationMs }: Span): number {
  return Math.abs(lengthMs - durationMs);
}

/** How long the machine stood still just before the end that came late: an item is too short because it began late. */
function stalledNear(item: Span, stalls: readonly Stall[]): number {
  const { startAt, lengthMs, durationMs } = item;
  const lateAt = lengthMs > durationMs ? startAt + lengthMs : startAt;
  return stalledMsIn(stalls, lateAt - REACH_MS - offMsOf(item), lateAt);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Runs a scenario that is judged by time. Where the machine stood still for too long to say anything, the scenario is
 * cleared away, named, and run once more; a second time is an error.
 */
export async function conclusive<T extends Judged>(
  name: string,
  run: () => Promise<T>,
  clear: () => Promise<void>,
): Promise<T> {
  const first = await run().catch(unlessHeldUp);
  if (isConclusive(first)) return first;
  console.warn(`${name}: inconclusive, so run once more: ${reasonOf(first)}`);
  await clear();
  const second = await run().catch(unlessHeldUp);
  if (isConclusive(second)) return second;
  throw new Error(`${name}: inconclusive twice: ${reasonOf(second)}`);
}

function unlessHeldUp(error: unknown): HeldUp {
  if (error instanceof HeldUp) return error;
  throw error;
}

type Judged = Pick<Punctuality, "inconclusive">;

function isConclusive<T extends Judged>(result: T | HeldUp): result is T {
  return !(result instanceof HeldUp) && result.inconclusive.length === 0;
}

function reasonOf(result: Judged | HeldUp): string {
  return result instanceof HeldUp ? result.message : JSON.stringify(result.inconclusive);
}
