import { HOUSE, type Sight, SPOILT } from "../support/display/eye.ts";
import type { Sighting } from "../support/display/sightings.ts";

/** An item that the network counted as proved, in the order in which they were shown. */
export interface ProvedItem {
  readonly creative: string;
  readonly durationMs: number;
  /** Whether the watch had ended when its proof came. */
  readonly isLate?: boolean;
}

/** An item that was seen and proved. */
export interface SeenItem extends ProvedItem {
  readonly startS: number;
  /** The same instant on the clock of the recording. */
  readonly startAt: number;
  readonly lengthMs: number;
  /** Whether it began in the frame in which the one before ended. */
  readonly follows: boolean;
}

/** What a passer-by saw, held against what the network was told. */
export interface Seen {
  readonly items: readonly SeenItem[];
  /** Showings that no proof came for. */
  readonly unproved: readonly Sighting[];
  /** Proofs of what was not seen. */
  readonly unseen: readonly ProvedItem[];
  /** All sightings from the first item to the last proved one. */
  readonly between: readonly Sighting[];
}

const NOT_ITEMS: readonly Sight[] = [...SPOILT, HOUSE];

/**
 * Finds each proved item among what was seen, in order. What comes before the first and after the last is left out, and
 * what was proved late unless it had been seen to its end.
 */
export function compare(sightings: readonly Sighting[], proved: readonly ProvedItem[]): Seen {
  const items: SeenItem[] = [];
  const unproved: Sighting[] = [];
  const unseen: ProvedItem[] = [];
  const positions = sightings.flatMap(({ sight }, position) => (NOT_ITEMS.includes(sight) ? [] : [position]));
  let next = 0;
  let last = -1;
  for (const proof of proved) {
    // A showing that failed is followed by the one that is meant; a proof without a showing by nothing of its kind.
    const found = [next, next + 1].find((one) => sightings[positions[one] ?? -1]?.sight === proof.creative);
    if (proof.isLate && (found === undefined || found === positions.length - 1)) continue;
    if (found === undefined) {
      unseen.push(proof);
      continue;
    }
    if (found > next) unproved.push(sightings[positions[next] as number] as Sighting);
    const position = positions[found] as number;
    const { startS, startAt, lengthMs } = sightings[position] as Sighting;
    items.push({ ...proof, startS, startAt, lengthMs, follows: last === position - 1 && items.length > 0 });
    last = position;
    next = found + 1;
  }
  // The last one was on its way when the watch ended.
  for (const position of positions.slice(next, -1)) unproved.push(sightings[position] as Sighting);
  return { items, unproved, unseen, between: sightings.slice(positions[0] ?? 0, last + 1) };
}
