import type { Picture } from "./picture.ts";

/** How far two pictures of the same thing are from each other; each a share of the picture, from 0 to 1. */
export interface Difference {
  /** Of 64x36 cells, area-averaged: what a passer-by sees. A cell is off where a channel differs by more than 40. */
  readonly cells: number;
  /** Of all pixels, each averaged with its neighbours, so that the edges of letters do not count: by more than 60. */
  readonly pixels: number;
}

export const CELLS = { columns: 64, rows: 36 } as const;
const CELL_OFF = 40;
const PIXEL_OFF = 60;

/** Compares two pictures of one size. */
export function compare(one: Picture, other: Picture): Difference {
  if (one.width !== other.width || one.height !== other.height) {
    throw new Error(`pictures of ${one.width}x${one.height} and ${other.width}x${other.height} cannot be compared`);
  }
  return {
    cells: shareOff(cellsOf(one), cellsOf(other), CELL_OFF),
    pixels: shareOff(blurred(one), blurred(other), PIXEL_OFF),
  };
}

/** The share of pixels, three bytes each, in which any channel differs by more than so much. */
export function shareOff(one: Uint8Array, other: Uint8Array, by: number): number {
  let off = 0;
  for (let at = 0; at < one.length; at += 3) {
    const differs = (channel: number) => Math.abs((one[at + channel] ?? 0) - (other[at + channel] ?? 0)) > by;
    if (differs(0) || differs(1) || differs(2)) off++;
  }
  return off / (one.length / 3);
}

/** A picture as 64x36 cells, each the mean of its pixels. */
export function cellsOf({ width, height, rgb }: Picture): Uint8Array {
  const { columns, rows } = CELLS;
  const sums = new Float64Array(columns * rows * 3);
  const counts = new Uint32Array(columns * rows);
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * rows) / height) * columns;
    for (let x = 0; x < width; x++) {
      const cell = row + Math.floor((x * columns) / width);
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++) {
        sums[cell * 3 + channel] = (sums[cell * 3 + channel] ?? 0) + (rgb[at + channel] ?? 0);
      }
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  }
  return Uint8Array.from(sums, (sum, index) => sum / (counts[Math.floor(index / 3)] ?? 1));
}

/** The mean of each pixel and its eight neighbours; at the edge, of those that there are. */
function blurred({ width, height, rgb }: Picture): Uint8Array {
  const along = averaged(rgb, width * height, width, 1);
  return averaged(along, width * height, height, width);
}

/** Averages each pixel with the one before and after it in its line of `length` pixels that lie `step` apart. */
function averaged(rgb: Uint8Array, count: number, length: number, step: number): Uint8Array {
  const out = new Uint8Array(rgb.length);
  for (let pixel = 0; pixel < count; pixel++) {
    const place = Math.floor(pixel / step) % length;
    const before = place > 0 ? -step * 3 : 0;
    const after = place < length - 1 ? step * 3 : 0;
    for (let at = pixel * 3; at < pixel * 3 + 3; at++) {
      out[at] = ((rgb[at + before] ?? 0) + (rgb[at] ?? 0) + (rgb[at + after] ?? 0)) / 3;
    }
  }
  return out;
}
