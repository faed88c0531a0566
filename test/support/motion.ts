import type { Catalogue, Creative } from "./catalogue.ts";
import { GRID } from "./recording.ts";

/** How long the first and the last picture of a moving clip stayed, in refreshes of the display. */
export interface Holds {
  readonly first: number;
  readonly last: number;
}

/** The clip's beat: two cells to the right of its code, which name a picture by its number modulo 9. */
const CODE_CELLS = 4;

/** Reads the beat off the frames in which a clip was in sight. The frames must show the clip and nothing else. */
export function holdsIn(frames: readonly Buffer[], creative: Creative, catalogue: Catalogue): Holds {
  const pictures = frames.map((frame) => pictureIn(frame, creative, catalogue));
  const changed = pictures.findIndex((picture) => picture !== pictures[0]);
  const before = [...pictures].reverse().findIndex((picture) => picture !== pictures.at(-1));
  return { first: changed < 0 ? frames.length : changed, last: before < 0 ? frames.length : before };
}

function pictureIn(frame: Buffer, { strip }: Creative, { beat }: Catalogue): number {
  const at = (cell: number) => nearest(pixelsAt(frame, strip.column + CODE_CELLS + cell, strip.row), beat);
  return at(0) + 3 * at(1);
}

/** The mean of a cell's two pixels. */
function pixelsAt(frame: Buffer, column: number, row: number): readonly number[] {
  const upper = (row * GRID.columns + column) * 3;
  const lower = upper + GRID.columns * 3;
  return [0, 1, 2].map((channel) => ((frame[upper + channel] ?? 0) + (frame[lower + channel] ?? 0)) / 2);
}

function nearest(colour: readonly number[], choices: readonly string[]): number {
  const distances = choices.map((choice) => {
    const value = Number.parseInt(choice.slice(1), 16);
    const channels = [value >> 16, (value >> 8) & 255, value & 255];
    return channels.reduce((sum, channel, index) => sum + Math.abs(channel - (colour[index] ?? 0)), 0);
  });
  return distances.indexOf(Math.min(...distances));
}
