import { describe, expect, it } from "vitest";
import { judgeStart } from "./cold-frames.ts";
import { CELLS } from "./compare.ts";

const COUNT = CELLS.columns * CELLS.rows;

/** A frame of one colour, with the last so many cells in another. */
function frame(colour: readonly number[], rest = 0, other: readonly number[] = [0, 0, 0]): Uint8Array {
  return Uint8Array.from({ length: COUNT * 3 }, (_, at) => {
    const cell = Math.floor(at / 3);
    return (cell < COUNT - rest ? colour : other)[at % 3] ?? 0;
  });
}

const BLACK = frame([0, 0, 0]);
const HOUSE = frame([23, 48, 73]);
const GREEN = [10, 122, 75];
const WHITE = [255, 255, 255];
/** A green page with a quarter of white words. */
const ITEM = frame(GREEN, COUNT / 4, WHITE);
const known = { house: HOUSE, item: ITEM };

describe("a cold start", () => {
  it("is whole where house content is followed by the whole item", () => {
    expect(judgeStart([BLACK, HOUSE, HOUSE, ITEM, ITEM], known)).toEqual({ kind: "whole", frames: 2 });
  });

  it("is half drawn where an item's background is seen alone, for a single frame too", () => {
    const start = judgeStart([BLACK, HOUSE, frame(GREEN), ITEM, ITEM], known);
    expect(start).toEqual({ kind: "half-drawn", frames: 1, off: 0.25 });
  });

  it("is half drawn where an item is taken away and drawn again", () => {
    expect(judgeStart([HOUSE, ITEM, frame(WHITE), ITEM], known).kind).toBe("half-drawn");
  });

  it("is whole where the item is the first thing on a black display", () => {
    expect(judgeStart([BLACK, BLACK, ITEM, ITEM], known)).toEqual({ kind: "whole", frames: 2 });
  });

  it("is half drawn where a window is empty before house content, in whatever colour, or black after it", () => {
    for (const colour of [[80, 80, 80], WHITE]) {
      expect(judgeStart([BLACK, frame(colour), HOUSE, ITEM], known)).toMatchObject({ kind: "half-drawn", frames: 1 });
    }
    expect(judgeStart([BLACK, HOUSE, BLACK, ITEM], known)).toMatchObject({ kind: "half-drawn", frames: 1 });
  });

  it("is a failure where the item was never whole", () => {
    expect(judgeStart([HOUSE, frame(GREEN), frame(GREEN)], known)).toEqual({ kind: "never-whole" });
  });

  it("does not mind what compression changes", () => {
    expect(judgeStart([HOUSE, frame([30, 140, 95], COUNT / 4, [235, 240, 245])], known).kind).toBe("whole");
  });
});
