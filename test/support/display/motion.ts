import type { Catalogue, Creative } from "../creatives/catalogue.ts";
import { cellColour } from "./eye.ts";
import { FRAME_MS, type Frames } from "./recording.ts";
import type { Sighting } from "./sightings.ts";

/** How long the first and the last picture of a moving clip stayed, in milliseconds. */
export interface Holds {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The clip's beat: two cells to the right of its code, which name a picture by its number modulo 9. */
const CODE_CELLS = 4;

/** Reads the beat off the frames in which a clip was in sight. */
export function holdsIn(
  { frames, instants, since }: Frames,
  clip: Sighting,
  creative: Creative,
  catalogue: Catalogue,
): Holds {
  const until = clip.firstFrame + clip.frames;
  const at = (index: number) => since[index] ?? (instants.at(-1) ?? 0) + FRAME_MS;
  const pictures = frames.slice(clip.firstFrame, until).map((frame) => pictureIn(frame, creative, catalogue));
  const changed = pictures.findIndex((picture) => picture !== pictures[0]);
  const kept = pictures.findLastIndex((picture) => picture !== pictures.at(-1));
  return {
    firstMs: at(changed < 0 ? until : clip.firstFrame + changed) - at(clip.firstFrame),
    lastMs: at(until) - at(clip.firstFrame + kept + 1),
  };
}

function pictureIn(frame: Buffer, { strip }: Creative, { beat }: Catalogue): number {
  const at = (cell: number) => nearest(cellColour(frame, strip.column + CODE_CELLS + cell, strip.row), beat);
  return at(0) + 3 * at(1);
}

function nearest(colour: readonly number[], choices: readonly string[]): number {
  const distances = choices.map((choice) => {
    const value = Number.parseInt(choice.slice(1), 16);
    const channels = [value >> 16, (value >> 8) & 255, value & 255];
    return channels.reduce((sum, channel, index) => sum + Math.abs(channel - (colour[index] ?? 0)), 0);
  });
  return distances.indexOf(Math.min(...distances));
}
