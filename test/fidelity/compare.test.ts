import { describe, expect, it } from "vitest";
import { compare } from "./compare.ts";
import type { Picture } from "./picture.ts";

const SIZE = { width: 640, height: 360 } as const;
/** One cell of 64x36. */
const CELL_PX = 10;

type Painter = (x: number, y: number) => readonly [number, number, number];

function painted(painter: Painter): Picture {
  const rgb = Buffer.alloc(SIZE.width * SIZE.height * 3);
  for (let y = 0; y < SIZE.height; y++) {
    for (let x = 0; x < SIZE.width; x++) rgb.set(painter(x, y), (y * SIZE.width + x) * 3);
  }
  return { ...SIZE, rgb };
}

const green = painted(() => [10, 122, 75]);

describe("two pictures of a page", () => {
  it("are alike where nothing differs", () => {
    expect(compare(green, green)).toEqual({ cells: 0, pixels: 0 });
  });

  it("differ by the share of the screen that is another colour", () => {
    const half = painted((_, y) => (y < SIZE.height / 2 ? [10, 122, 75] : [255, 255, 255]));
    const { cells, pixels } = compare(green, half);
    expect(cells).toBe(0.5);
    expect(pixels).toBeCloseTo(0.5, 2);
  });

  it("differ where one channel alone does", () => {
    expect(
      compare(
        green,
        painted(() => [10, 122, 140]),
      ).cells,
    ).toBe(1);
  });

  it("are alike where a channel is off by no more than compression makes it", () => {
    expect(
      compare(
        green,
        painted(() => [40, 150, 105]),
      ),
    ).toEqual({ cells: 0, pixels: 0 });
  });

  it("are alike where only the edges of letters are drawn another way", () => {
    const ruled = (first: number) => painted((x) => (x % 40 === first ? [255, 255, 255] : [128, 128, 128]));
    expect(compare(ruled(0), ruled(1)).pixels).toBe(0);
  });

  it("differ in pixels where something too small for a cell's mean is missing", () => {
    const dotted = painted((x, y) => (x % CELL_PX < 4 && y % CELL_PX < 4 ? [255, 255, 255] : [10, 122, 75]));
    const { cells, pixels } = compare(green, dotted);
    expect(cells).toBe(0);
    expect(pixels).toBeGreaterThan(0.05);
  });

  it("cannot be compared where they have different sizes", () => {
    expect(() => compare(green, { width: 1, height: 1, rgb: Buffer.alloc(3) })).toThrow("640x360 and 1x1");
  });
});
