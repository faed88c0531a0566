import { type Catalogue, type Creative, readCatalogue } from "../creatives/catalogue.ts";
import { type Film, readFilms, SLATE } from "./pictures.ts";
import { EYE_GRID, GRID } from "./recording.ts";

/** What one frame of a display shows: a creative by its name, or none of them. */
export type Sight = string;
export const BLACK = "(black)";
export const WHITE = "(white)";
/** One dark colour: a window in which nothing was drawn yet, in that of the desktop's theme, or the slate without its page. */
export const EMPTY = "(empty)";
export const HOUSE = "(house)";
export const FOREIGN = "(foreign)";
/** Where nothing is drawn. */
export const UNDRAWN: readonly Sight[] = [BLACK, WHITE, EMPTY];
/** What nobody is ever to see of a screen that plays. */
export const SPOILT: readonly Sight[] = [...UNDRAWN, FOREIGN];

/** One frame, as it was recognised. */
export interface Look {
  readonly sight: Sight;
  /** Which picture of the creative's film it is nearest to; `null` where it is none. */
  readonly picture: number | null;
  /** Of a foreign frame: what it is most like, and where it is not; of an empty one: its colour. */
  readonly because?: string;
}

/**
 * How far a channel of a cell may be from the film. Measured over 5,702 frames of a display of 960x540: pictures were within
 * 3 and pages within 8; clips, which browsers and ffmpeg convert to RGB with different roundings, within 10. A hundredth of
 * the picture in another colour is off by 40 and more.
 */
export const NOISE = 16;
/** How far the cells of a code may be from their colours: codes are much further apart. */
const CODE_TOLERANCE = 48;
const EMPTY_TOLERANCE = 6;

/**
 * Recognises what a display shows by the whole of each frame. The code in a frame names the creative; then every cell must
 * be as in one of the creative's pictures, or else the frame is foreign.
 */
export class Eye {
  readonly #known: readonly Known[];

  constructor(catalogue: Catalogue, films: readonly Film[]) {
    this.#known = films.map((film) => {
      const creative = catalogue.creatives.find(({ name }) => name === film.name);
      return { film, code: creative === undefined ? null : codeOf(creative, catalogue), last: 0 };
    });
  }

  /** Begins each film anew: of several pictures that a frame is like, the earliest is found next. */
  rewind(): void {
    for (const known of this.#known) known.last = 0;
  }

  look(frame: Buffer): Look {
    if (isBlack(frame)) return { sight: BLACK, picture: null };
    if (frame.every((value) => value > 235)) return { sight: WHITE, picture: null };
    const alike = this.#known.filter(({ code }) => code === null || code.every((cell) => isCell(frame, cell)));
    for (const known of alike) {
      const picture = pictureIn(frame, known);
      if (picture === null) continue;
      known.last = picture;
      return { sight: known.film.name === SLATE ? HOUSE : known.film.name, picture };
    }
    if (isEmpty(frame)) return { sight: EMPTY, picture: null, because: `all of it ${colourOf(frame, 0)}` };
    const films = alike.map(({ film }) => film);
    return { sight: FOREIGN, picture: null, because: differenceFrom(frame, films) };
  }
}

/** An eye for the sample creatives and the slate, and for whatever else a test shows. */
export async function openEye(
  more: { creatives: readonly Creative[]; films: readonly Film[] } = NOTHING,
): Promise<Eye> {
  const catalogue = readCatalogue();
  const creatives = [...catalogue.creatives, ...more.creatives];
  return new Eye({ ...catalogue, creatives }, [...more.films, ...(await readFilms(catalogue))]);
}

const NOTHING = { creatives: [], films: [] };

interface Known {
  readonly film: Film;
  readonly code: readonly Cell[] | null;
  /** Where the film was last seen: the next frame is most likely there, or soon after. */
  last: number;
}

/** The creative whose code a frame of `EYE_GRID` carries, whatever the rest of it shows; `null` where there is none. */
export function creativeIn(frame: Buffer, catalogue: Catalogue): string | null {
  const shown = catalogue.creatives.find((one) => codeOf(one, catalogue).every((cell) => isCell(frame, cell)));
  return shown?.name ?? null;
}

type Rgb = readonly [number, number, number];

/** A cell of the coarse grid, one column wide and two rows high, and its colour. */
interface Cell {
  readonly column: number;
  readonly row: number;
  readonly colour: Rgb;
}

function codeOf({ code, strip }: Creative, { palette }: Catalogue): readonly Cell[] {
  return code.map((name, index) => {
    const value = Number.parseInt((palette[name] ?? "").slice(1), 16);
    const colour: Rgb = [value >> 16, (value >> 8) & 255, value & 255];
    return { column: strip.column + index, row: strip.row, colour };
  });
}

function isCell(frame: Buffer, { column, row, colour }: Cell): boolean {
  return cellColour(frame, column, row).every(
    (value, channel) => Math.abs(value - (colour[channel] ?? 0)) <= CODE_TOLERANCE,
  );
}

/** The mean of a cell of the coarse grid (`GRID`) that is two rows high, as codes, beats and hooks are. */
export function cellColour(frame: Buffer, column: number, row: number): Rgb {
  const across = EYE_GRID.columns / GRID.columns;
  const down = (2 * EYE_GRID.rows) / GRID.rows;
  const sums: [number, number, number] = [0, 0, 0];
  for (let y = row * (down / 2); y < row * (down / 2) + down; y++) {
    for (let x = column * across; x < (column + 1) * across; x++) {
      const at = (y * EYE_GRID.columns + x) * 3;
      for (const channel of [0, 1, 2] as const) sums[channel] += frame[at + channel] ?? 0;
    }
  }
  const [red, green, blue] = sums;
  const count = across * down;
  return [red / count, green / count, blue / count];
}

/** Looks where the film was last, a little further, then everywhere. */
function pictureIn(frame: Buffer, { film, last }: Known): number | null {
  const { length } = film.pictures;
  for (let step = 0; step < length; step++) {
    const index = (last + step) % length;
    if (worstCell(frame, film, index, NOISE).off <= NOISE) return index;
  }
  return null;
}

/** The cell that is furthest from a picture of a film, or the first that is further than `enough`. */
function worstCell(frame: Buffer, film: Film, index: number, enough: number): { off: number; cell: number } {
  let worst = { off: 0, cell: 0 };
  for (let at = 0; at < frame.length; at++) {
    const off = offAt(frame, film, index, at);
    const cell = Math.floor(at / 3);
    if (off <= worst.off || film.masked.has(cell)) continue;
    worst = { off, cell };
    if (off > enough) break;
  }
  return worst;
}

/** How far a channel of a frame is from what may be there at a picture of a film, and from then to the next where it moves. */
function offAt(frame: Buffer, film: Film, index: number, at: number): number {
  const picture = film.pictures[index] as Buffer;
  const next = (film.moves && film.pictures[index + 1]) || picture;
  const [one, other, value] = [picture[at] as number, next[at] as number, frame[at] as number];
  return Math.max(value - Math.max(one, other), Math.min(one, other) - value);
}

/** Of the cells that are off, so many are told with their colours. */
const MOST_TOLD = 6;

/** What a frame is most like of these films, and where it is not; nothing where there are none. */
function differenceFrom(frame: Buffer, films: readonly Film[]): string {
  const all = films.flatMap((film) =>
    film.pictures.map((_, index) => ({ film, index, ...worstCell(frame, film, index, 255) })),
  );
  const [nearest] = all.sort((one, other) => one.off - other.off);
  if (nearest === undefined) return "";
  const { film, index, off, cell } = nearest;
  const cells = Array.from({ length: frame.length / 3 }, (_, one) => one);
  const offIn = (one: number) => Math.max(...[0, 1, 2].map((channel) => offAt(frame, film, index, 3 * one + channel)));
  const wrong = cells.filter((one) => !film.masked.has(one) && offIn(one) > NOISE);
  const told = wrong.slice(0, MOST_TOLD).map((one) => {
    return `${placeOf(one)} ${colourOf(frame, one)} for ${colourOf(film.pictures[index] as Buffer, one)}`;
  });
  const said = `${film.name}: picture ${index}, off by ${off} at ${placeOf(cell)}`;
  return `${said} (cells off: ${wrong.length}, among them ${told.join(", ")})`;
}

function placeOf(cell: number): string {
  return `column ${cell % EYE_GRID.columns}, row ${Math.floor(cell / EYE_GRID.columns)}`;
}

function colourOf(frame: Buffer, cell: number): string {
  return `#${frame.subarray(3 * cell, 3 * cell + 3).toString("hex")}`;
}

/** Whether nothing of a frame, three bytes for each cell, is brighter than black may be. */
export function isBlack(frame: Uint8Array): boolean {
  return frame.every((value) => value < 20);
}

/** One dark colour all over. */
function isEmpty(frame: Buffer): boolean {
  return frame.every((value, index) => value < 80 && Math.abs(value - (frame[index % 3] ?? 0)) <= EMPTY_TOLERANCE);
}
