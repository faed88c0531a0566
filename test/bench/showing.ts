import type { ShownItem } from "../support/creatives/running-order.ts";
import { BLACK, HOUSE, WHITE } from "../support/display/eye.ts";
import { FRAME_MS } from "../support/display/recording.ts";
import type { Sighting } from "../support/display/sightings.ts";
import type { Histogram } from "./line.ts";
import { median, sum } from "./statistics.ts";

/** What a passer-by saw of one item, and of what came between it and the next. */
export interface SeenItem {
  readonly creative: string;
  readonly durationMs: number;
  readonly startS: number;
  /** Its first sighting, in which nothing broke in. */
  readonly first: Sighting;
  /** How long it was in sight. */
  readonly lengthMs: number;
  /** Frames of anything else until the next item. */
  readonly between: Readonly<Record<"black" | "white" | "house" | "foreign", number>>;
}

/** How well items were shown. */
export interface Showing {
  /** Means over all transitions. */
  readonly blackFrames: number;
  readonly whiteFrames: number;
  readonly houseFrames: number;
  readonly foreignFrames: number;
  /** Of how long an item was in sight against its duration; the last one goes on with whatever comes then. */
  readonly lengthErrorP50Ms: number;
  readonly lengthErrorMaxMs: number;
  /** How far the start of the last item is from that of the first and the durations between. */
  readonly driftMs: number;
}

/** Finds items in what was seen, in order. Throws where one of them is missing: then the figures would mean nothing. */
export function seenItems(sightings: readonly Sighting[], expected: readonly ShownItem[]): readonly SeenItem[] {
  let from = 0;
  const starts = expected.map(({ creative }, index) => {
    const found = sightings.findIndex(({ sight }, position) => position >= from && sight === creative);
    if (found < 0) throw new Error(`item ${index + 1} of ${expected.length}, ${creative}, was not seen`);
    from = found + 1;
    return found;
  });
  return expected.map(({ creative, durationMs }, index) => {
    const start = starts[index] ?? 0;
    const until = starts[index + 1] ?? afterLast(sightings, start, creative);
    const span = sightings.slice(start, until);
    const first = span[0] as Sighting;
    return {
      creative,
      durationMs,
      startS: first.startS,
      first,
      lengthMs: lengthOf(span, creative),
      between: others(span, creative),
    };
  });
}

/** Sums up items that were seen one after the other. */
export function showingOf(items: readonly SeenItem[]): Showing {
  const before = items.slice(0, -1);
  const perTransition = (what: keyof SeenItem["between"]) =>
    sum(before.map(({ between }) => between[what])) / before.length;
  const errors = lengthErrorsMs(items);
  const tookMs = ((items.at(-1)?.startS ?? 0) - (items[0]?.startS ?? 0)) * 1000;
  return {
    blackFrames: perTransition("black"),
    whiteFrames: perTransition("white"),
    houseFrames: perTransition("house"),
    foreignFrames: perTransition("foreign"),
    lengthErrorP50Ms: median(errors),
    lengthErrorMaxMs: Math.max(...errors),
    driftMs: Math.abs(tookMs - sum(before.map(({ durationMs }) => durationMs))),
  };
}

/** Of each item but the last. */
export function lengthErrorsMs(items: readonly SeenItem[]): readonly number[] {
  return items.slice(0, -1).map(({ lengthMs, durationMs }) => Math.abs(lengthMs - durationMs));
}

/** By how many refreshes of the display each item but the last was in sight too long, or too short where it is negative. */
export function lengthHistogram(showings: Readonly<Record<"spotloop" | "other", readonly SeenItem[]>>): Histogram {
  const count = (items: readonly SeenItem[]) => {
    const counts: Record<string, number> = {};
    for (const { lengthMs, durationMs } of items.slice(0, -1)) {
      const off = Math.round((lengthMs - durationMs) / FRAME_MS);
      counts[off] = (counts[off] ?? 0) + 1;
    }
    return counts;
  };
  return {
    ...{ what: "error of an item's length", unit: "refreshes" },
    ...{ spotloop: count(showings.spotloop), other: count(showings.other) },
  };
}

/** The last item's transition is not looked at; it ends where anything else is in sight that is not a moment's flicker. */
function afterLast(sightings: readonly Sighting[], start: number, creative: string): number {
  const end = sightings.findIndex(({ sight }, position) => position > start && sight !== creative);
  return end < 0 ? sightings.length : end;
}

function lengthOf(span: readonly Sighting[], creative: string): number {
  return sum(span.filter(({ sight }) => sight === creative).map(({ lengthMs }) => lengthMs));
}

function others(span: readonly Sighting[], creative: string): SeenItem["between"] {
  const count = (counts: (sight: string) => boolean) =>
    sum(span.filter(({ sight }) => sight !== creative && counts(sight)).map(({ frames }) => frames));
  const named = [BLACK, WHITE, HOUSE];
  return {
    black: count((sight) => sight === BLACK),
    white: count((sight) => sight === WHITE),
    house: count((sight) => sight === HOUSE),
    foreign: count((sight) => !named.includes(sight)),
  };
}
