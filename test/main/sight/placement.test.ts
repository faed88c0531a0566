import { describe, expect, it } from "vitest";
import { boundsOn, displaysFor, type WindowPlan } from "../../../src/main/sight/placement.ts";

const plan = (match: string | null): WindowPlan => ({ match, fullscreen: true, width: null, height: null });
const display = (id: number, x: number, label = "", y = 0) => ({
  ...{ id, label },
  bounds: { x, y, width: 1920, height: 1080 },
});
const [left, middle, right] = [display(7, 0, "LG"), display(8, 1920, "Sony"), display(9, 3840, "NEC")];

/** The ids of the displays that plans get, null for none. */
function given(matches: readonly (string | null)[], all = [left, middle, right], before: readonly number[] = []) {
  const primaryId = all[0]?.id ?? -1;
  return displaysFor(matches.map(plan), { all, primaryId }, before).map((found) => found?.id ?? null);
}

describe("the display of a screen", () => {
  it.each([
    ["by name", ["Sony"], [8]],
    ["by its place from the left", ["3"], [9]],
    ["the primary one where none is named", [null], [7]],
    ["the primary one where a single screen's is not there", ["Philips"], [7]],
    ["each its own", ["2", "LG"], [8, 7]],
    ["none where one of several is not there", ["1", "4"], [7, null]],
    ["given once: the name of one and the place of another are the same", ["LG", "1"], [7, null]],
    ["given to whoever asks for it before whoever takes the primary one", [null, "1"], [null, 7]],
  ])("is %s", (_, matches, ids) => {
    expect(given(matches)).toEqual(ids);
  });

  it("is counted from the left wherever the system lists it", () => {
    expect(given(["1", "2", "3"], [right, left, middle])).toEqual([7, 8, 9]);
  });

  it("stays a screen's own when one further left goes, and comes back to whose it was", () => {
    expect(given(["1", "2", "3"], [middle, right], [7, 8, 9])).toEqual([null, 8, 9]);
    expect(given(["1", "2", "3"], [left, middle, right], [7, 8, 9])).toEqual([7, 8, 9]);
  });

  it.each([0, -1])("is none where Chromium makes one up for want of any, with the id %i", (id) => {
    expect(given([null], [display(id, 0)])).toEqual([null]);
  });
});

describe("a full-screen window", () => {
  const size = (on: ReturnType<typeof display>, all: readonly ReturnType<typeof display>[]) => {
    const { x, y, width, height } = boundsOn(plan(null), on, all);
    return [x, y, width - 1920, height - 1080];
  };
  const below = display(10, 0, "", 1080);

  it("hangs over its display by a pixel, and never onto another's", () => {
    expect(size(left, [left])).toEqual([0, 0, 1, 1]);
    expect(size(left, [left, middle])).toEqual([0, 0, 0, 1]);
    expect(size(middle, [left, middle])).toEqual([1920, 0, 1, 1]);
    expect(size(left, [left, below])).toEqual([0, 0, 1, 0]);
    expect(size(below, [left, below])).toEqual([0, 1080, 1, 1]);
  });

  it("is never of its display's very size, which X11 takes a pixel from", () => {
    expect(size(left, [left, middle, below])).toEqual([0, 0, 0, 1]);
  });

  it("is as large as it is told to be where it is to be no full-screen window", () => {
    expect(boundsOn({ ...plan(null), fullscreen: false, width: 640, height: 360 }, middle, [middle])).toEqual({
      ...{ x: 1920, y: 0, width: 640, height: 360 },
    });
  });
});
