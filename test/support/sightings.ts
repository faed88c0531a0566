import type { Catalogue, Creative } from "./catalogue.ts";
import { type Frames, GRID } from "./recording.ts";

/** What one frame of a display shows: a creative by its name, or none of them. */
export type Sight = string;
export const BLACK = "(black)";
export const WHITE = "(white)";
/** A window in which nothing was drawn yet: for an instant it has the background of the desktop's dark theme. */
export const EMPTY = "(empty)";
export const HOUSE = "(house)";
export const FOREIGN = "(foreign)";

/** The same thing in sight for a while. */
export interface Sighting {
  readonly sight: Sight;
  /** Its place among the frames of the recording. */
  readonly firstFrame: number;
  readonly frames: number;
  /** Seconds from the beginning of the recording. */
  readonly startS: number;
  readonly lengthMs: number;
}

type Rgb = readonly [number, number, number];

/** How far a cell may be from its colour: video compression and scaling blur it, codes are much further apart. */
const CELL_TOLERANCE = 48;
const HOUSE_TOLERANCE = 6;

/** Says of each frame what is in sight, and joins equal neighbours. */
export function sightingsIn({ frames, frameMs }: Frames, catalogue: Catalogue): readonly Sighting[] {
  const log = new SightLog(catalogue);
  for (const frame of frames) log.take(frame);
  return log.sightings(frameMs);
}

/** Takes in frames as they come, and keeps only what was in sight for how many of them. */
export class SightLog {
  readonly #read: (frame: Buffer) => Sight;
  readonly #seen: { readonly sight: Sight; readonly firstFrame: number; frames: number }[] = [];
  #count = 0;

  constructor(catalogue: Catalogue) {
    this.#read = sightReader(catalogue);
  }

  /** How often what is in sight has changed so far. */
  get changes(): number {
    return this.#seen.length;
  }

  take(frame: Buffer): void {
    const sight = this.#read(frame);
    const last = this.#seen.at(-1);
    if (last?.sight === sight) last.frames++;
    else this.#seen.push({ sight, firstFrame: this.#count, frames: 1 });
    this.#count++;
  }

  sightings(frameMs: number): readonly Sighting[] {
    return this.#seen.map((one) => ({
      ...one,
      startS: (one.firstFrame * frameMs) / 1000,
      lengthMs: one.frames * frameMs,
    }));
  }
}

/** Reads what one frame shows. */
function sightReader(catalogue: Catalogue): (frame: Buffer) => Sight {
  const codes = catalogue.creatives.map((creative) => ({ creative, colours: creative.code.map(colourIn(catalogue)) }));
  return (frame) => sightOf(frame, codes);
}

interface Code {
  readonly creative: Creative;
  readonly colours: readonly Rgb[];
}

function sightOf(frame: Buffer, codes: readonly Code[]): Sight {
  if (frame.every((value) => value < 20)) return BLACK;
  if (frame.every((value) => value > 235)) return WHITE;
  const code = codes.find(({ creative, colours }) =>
    colours.every((colour, cell) => distance(cellAt(frame, creative, cell), colour) <= CELL_TOLERANCE),
  );
  if (code !== undefined) return code.creative.name;
  if (isHouse(frame)) return HOUSE;
  return isEmpty(frame) ? EMPTY : FOREIGN;
}

/** One dark colour all over. */
function isEmpty(frame: Buffer): boolean {
  return frame.every((value, index) => value < 80 && Math.abs(value - (frame[index % 3] ?? 0)) <= HOUSE_TOLERANCE);
}

/** The slate's upper left, its lower right, and the middle stroke of its mark (`renderer/slate/slate.css`). */
const HOUSE_CELLS: readonly [column: number, row: number, colour: Rgb][] = [
  [0, 0, [40, 72, 103]],
  [15, 8, [14, 33, 53]],
];

function isHouse(frame: Buffer): boolean {
  return HOUSE_CELLS.every(([column, row, colour]) => distance(pixel(frame, column, row), colour) <= HOUSE_TOLERANCE);
}

/** A cell is one column wide and two rows high: the mean of its two pixels. */
function cellAt(frame: Buffer, { strip }: Creative, cell: number): Rgb {
  const upper = pixel(frame, strip.column + cell, strip.row);
  const lower = pixel(frame, strip.column + cell, strip.row + 1);
  return [(upper[0] + lower[0]) / 2, (upper[1] + lower[1]) / 2, (upper[2] + lower[2]) / 2];
}

function pixel(frame: Buffer, column: number, row: number): Rgb {
  const at = (row * GRID.columns + column) * 3;
  return [frame[at] ?? 0, frame[at + 1] ?? 0, frame[at + 2] ?? 0];
}

function colourIn({ palette }: Catalogue): (name: string) => Rgb {
  return (name) => {
    const value = Number.parseInt((palette[name] ?? "").slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  };
}

function distance(one: Rgb, other: Rgb): number {
  return Math.max(...one.map((value, channel) => Math.abs(value - (other[channel] ?? 0))));
}
