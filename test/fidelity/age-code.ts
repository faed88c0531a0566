import { type Frames, GRID } from "../support/display/recording.ts";

/** How far a channel may be from its colour. */
const TOLERANCE = 48;
const BITS = 16;
/** Rows of the 16x9 grid that lie in the middle of each band of the page. */
const ROWS = { mark: 0, bits: 3, inverted: 6, end: 8 } as const;

/**
 * Reads the age that a page of `timed/age.html` wrote of itself off one frame of a display, in milliseconds; `null` where
 * the frame shows no such page, or not all of it.
 */
export function ageIn(frame: Buffer): number | null {
  let age = 0;
  for (let column = 0; column < BITS; column++) {
    if (!isLike(frame, ROWS.mark, column, [255, 0, 255]) || !isLike(frame, ROWS.end, column, [0, 255, 0])) return null;
    const bit = bitAt(frame, ROWS.bits, column);
    const inverted = bitAt(frame, ROWS.inverted, column);
    if (bit === null || inverted === null || bit === inverted) return null;
    age = age * 2 + bit;
  }
  return age;
}

/** One showing of such a page in a recording. */
export interface AgeSighting {
  readonly firstFrame: number;
  readonly frames: number;
  /** When its first frame was grabbed, in milliseconds of the monotonic clock. */
  readonly startAt: number;
  /** How old it was in the first frame that anybody saw. */
  readonly ageMs: number;
}

/** A page may first be seen as it was drawn while nobody saw it; within so many frames it has drawn itself anew. */
const REDRAWN_WITHIN = 12;

/** Finds each showing. A frame in the middle of it that cannot be read is part of it; a page that begins anew is not. */
export function ageSightings({ frames, instants }: Pick<Frames, "frames" | "instants">): readonly AgeSighting[] {
  const found: { firstFrame: number; frames: number; startAt: number; ageMs: number }[] = [];
  let before = { index: Number.NEGATIVE_INFINITY, age: 0 };
  for (const [index, frame] of frames.entries()) {
    const age = ageIn(frame);
    if (age === null) continue;
    const last = found.at(-1);
    const at = instants[index] as number;
    if (last === undefined || age < before.age || index - before.index > REDRAWN_WITHIN) {
      found.push({ firstFrame: index, frames: 1, startAt: at, ageMs: age });
    } else {
      const since = index - last.firstFrame;
      last.frames = since + 1;
      if (since < REDRAWN_WITHIN) last.ageMs = Math.max(last.ageMs, Math.round(age - (at - last.startAt)));
    }
    before = { index, age };
  }
  return found;
}

function bitAt(frame: Buffer, row: number, column: number): 0 | 1 | null {
  if (isLike(frame, row, column, [255, 255, 255])) return 1;
  return isLike(frame, row, column, [0, 0, 0]) ? 0 : null;
}

function isLike(frame: Buffer, row: number, column: number, colour: readonly [number, number, number]): boolean {
  const at = (row * GRID.columns + column) * 3;
  return colour.every((value, channel) => Math.abs((frame[at + channel] ?? -255) - value) <= TOLERANCE);
}
