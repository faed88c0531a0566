import { diffArrays } from "diff";
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
 * Finds as many proved items as can be among what was seen, in order. What comes before the first and after the last is left
 * out, and what was proved late unless it had been seen to its end.
 */
export function compare(sightings: readonly Sighting[], proved: readonly ProvedItem[]): Seen {
  const positions = sightings.flatMap(({ sight }, position) => (NOT_ITEMS.includes(sight) ? [] : [position]));
  const showings = positions.map((position) => sightings[position] as Sighting);
  const showingOf = pairs(showings, proved);
  const items: SeenItem[] = [];
  const unseen: ProvedItem[] = [];
  const found = new Set<number>();
  let last = -1;
  for (const [index, proof] of proved.entries()) {
    const showing = showingOf.get(index);
    // The last one was on its way when the watch ended.
    if (proof.isLate && (showing === undefined || showing === showings.length - 1)) continue;
    if (showing === undefined) {
      unseen.push(proof);
      continue;
    }
    const [position, { startS, startAt, lengthMs }] = [positions[showing] as number, showings[showing] as Sighting];
    items.push({ ...proof, startS, startAt, lengthMs, follows: last === position - 1 && items.length > 0 });
    found.add(showing);
    last = position;
  }
  const unproved = showings.slice(0, -1).filter((_, showing) => !found.has(showing));
  return { items, unproved, unseen, between: sightings.slice(positions[0] ?? 0, last + 1) };
}

/** Which showing is of which proof. What was shown and failed, however often in a row, is none's. */
function pairs(showings: readonly Sighting[], proved: readonly ProvedItem[]): ReadonlyMap<number, number> {
  const showingOf = new Map<number, number>();
  let [showing, proof] = [0, 0];
  const stretches = diffArrays(
    showings.map(({ sight }) => sight),
    proved.map(({ creative }) => creative),
  );
  for (const { count, added, removed } of stretches) {
    for (let index = 0; !added && !removed && index < count; index++) showingOf.set(proof + index, showing + index);
    if (!added) showing += count;
    if (!removed) proof += count;
  }
  return showingOf;
}
