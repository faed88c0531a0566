import type { PlannedSpot, WholeItem } from "../../../src/emulator/spot/planned.ts";
import type { Catalogue, Creative } from "./catalogue.ts";

/** What a passer-by is to see, and for how long. */
export interface ShownItem {
  readonly creative: string;
  readonly durationMs: number;
}

/** Lengths from the shortest up, in so many steps. */
export interface Lengths {
  readonly shortestMs: number;
  readonly stepMs: number;
}

const LENGTHS: Lengths = { shortestMs: 2_000, stepMs: 250 };
const STEPS = 7;

/** A creative as an item of its own length, served by the emulator's media listener. */
export function plannedItem(creative: Creative, durationMs: number): WholeItem {
  return {
    id: creative.name,
    title: creative.name,
    mimeType: creative.mimeType,
    width: creative.width,
    height: creative.height,
    duration: durationMs,
    url: `/creatives/${creative.file}`,
    newsType: "test",
  };
}

/**
 * Spots that bring each creative after each kind of other, in both orders, with lengths from 2 to 3.5 s unless told
 * otherwise; no creative comes twice in a row.
 */
export function plannedSpots({ creatives }: Catalogue, count: number, lengths = LENGTHS): readonly PlannedSpot[] {
  const at = (index: number) => {
    // Steps of 1, 2, 3… through the catalogue bring every neighbourhood in time.
    const turn = Math.floor(index / creatives.length);
    const creative = creatives[(index * (1 + (turn % 3)) + turn) % creatives.length] as Creative;
    return plannedItem(creative, lengths.shortestMs + (index % STEPS) * lengths.stepMs);
  };
  return Array.from({ length: count }, (_, spot) => {
    const [first, second] = [at(2 * spot), at(2 * spot + 1)];
    const newsFirst = spot % 2 === 0;
    return { newsFirst, billable: true, news: newsFirst ? first : second, ad: newsFirst ? second : first };
  });
}

/** What is known of a spot's two items, in the order in which they are shown. */
export function itemsInTurn<T>({ newsFirst, news, ad }: SpotOf<T>): readonly (T | undefined)[] {
  return newsFirst ? [news, ad] : [ad, news];
}

interface SpotOf<T> {
  readonly newsFirst?: boolean | undefined;
  readonly news?: T | undefined;
  readonly ad?: T | undefined;
}

/** The items that spots bring whole, in the order in which they are shown. */
export function wholeItems(spots: readonly PlannedSpot[]): readonly WholeItem[] {
  return spots.flatMap((spot) => itemsInTurn(spot).flatMap((item) => (typeof item === "object" && item ? [item] : [])));
}

/** The same, as a passer-by is to see them. */
export function shownItems(spots: readonly PlannedSpot[]): readonly ShownItem[] {
  return wholeItems(spots).map(({ id, duration }) => ({ creative: id, durationMs: duration }));
}
