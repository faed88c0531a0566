import { describe, expect, it } from "vitest";
import type { Area, Size } from "../../../src/core/displays/page-layout.ts";
import {
  boundsOn,
  displaysFor,
  isMatch,
  overhangIn,
  realDisplays,
  type WindowPlan,
} from "../../../src/main/window/placement.ts";

const plan = (match: string | null): WindowPlan => ({ match, fullscreen: true, width: null, height: null });
const display = (id: number, x: number, label = "", y = 0) => ({
  ...{ id, label },
  bounds: { x, y, width: 1920, height: 1080 },
});
const [left, middle, right] = [display(7, 0, "LG"), display(8, 1920, "Sony"), display(9, 3840, "NEC")];

const OUTPUTS: Readonly<Record<number, readonly string[]>> = { 7: ["HDMI-1"], 8: ["DP-1", "DP-2"] };
const namesOf = ({ id }: { readonly id: number }) => OUTPUTS[id] ?? [];

/** The ids of the displays that plans get, null for none. */
function given(matches: readonly (string | null)[], all = [left, middle, right], before: readonly number[] = []) {
  const primaryId = all[0]?.id ?? -1;
  return displaysFor(matches.map(plan), { all, primaryId, namesOf }, before).map((found) => found?.id ?? null);
}

describe("the display of a screen", () => {
  it.each([
    ["by name", ["Sony"], [8]],
    ["by the name of its output", ["DP-1", "HDMI-1"], [8, 7]],
    ["by that of either where two mirror each other", ["DP-2"], [8]],
    ["by its place from the left", ["3"], [9]],
    ["the primary one where none is named", [null], [7]],
    ["the primary one where a single screen's is not there", ["Philips"], [7]],
    ["each its own", ["2", "LG"], [8, 7]],
    ["none where one of several is not there", ["1", "4"], [7, null]],
    ["given once: the name of one and the place of another are the same", ["LG", "1"], [7, null]],
    ["given to the screen that names it before one that takes the primary display", [null, "1"], [null, 7]],
  ])("is %s", (_, matches, ids) => {
    expect(given(matches)).toEqual(ids);
  });

  it("is the next from the left where several are of one name, as those of one maker are", () => {
    const same = [display(7, 0, "DELL"), display(8, 1920, "DELL")];
    expect(given(["DELL", "DELL"], same)).toEqual([7, 8]);
    expect(given(["DELL", "DELL", "DELL"], same)).toEqual([7, 8, null]);
  });

  it("is counted from the left wherever the system lists it", () => {
    expect(given(["1", "2", "3"], [right, left, middle])).toEqual([7, 8, 9]);
  });

  it("is known by its place from the left, too, where the system tells of it anew", () => {
    const isThat = (match: string) => {
      const told = structuredClone(middle);
      return isMatch(told, match, { all: [left, middle, right], primaryId: 7, namesOf });
    };
    expect(["1", "2", "Sony", "DP-1"].map(isThat)).toEqual([false, true, true, true]);
  });

  it("stays a screen's own when one further left goes, and comes back to whose it was", () => {
    expect(given(["1", "2", "3"], [middle, right], [7, 8, 9])).toEqual([null, 8, 9]);
    expect(given(["1", "2", "3"], [left, middle, right], [7, 8, 9])).toEqual([7, 8, 9]);
  });

  it("is under Wayland the one that its window is on, whichever is the primary one once another has come", () => {
    const all = [middle, left];
    const chosen = (isLeftInPlace: boolean, here = all) =>
      displaysFor([plan(null)], { all: here, primaryId: 8, isLeftInPlace, namesOf }, [7]).map((found) => found?.id);
    expect([chosen(true), chosen(true, [middle]), chosen(false)]).toEqual([[7], [8], [8]]);
  });

  it.each([
    [0, false, []],
    [0, true, [0]],
    [-1, true, []],
    [7, false, [7]],
  ])("is none where Chromium makes one up: of number %i, and 0 being one is %s", (id, isZeroReal, real) => {
    expect(realDisplays([display(id, 0)], isZeroReal).map((one) => one.id)).toEqual(real);
  });

  it("may be that of number 0", () => {
    expect(given([null], [display(0, 0)])).toEqual([0]);
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

describe("views that stick out of a display, so that Chromium draws them", () => {
  const display = { width: 12, height: 8 };
  const below = { width: 12, height: 8 };
  const isIn = (area: Area, x: number, y: number) =>
    x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
  /** The pixels of a window, beyond its display, in which a view is to be seen below others. */
  const left = (window: Size, own: Area, above: readonly Area[]) => {
    let pixels = 0;
    for (let x = 0; x < window.width; x++)
      for (let y = 0; y < window.height; y++)
        if ((x >= display.width || y >= display.height) && isIn(own, x, y) && !above.some((one) => isIn(one, x, y)))
          pixels++;
    return pixels;
  };

  it.each([
    ["right and bottom", { width: 13, height: 9 }, [0, 1, 2]],
    ["right", { width: 13, height: 8 }, [0, 1]],
    ["bottom", { width: 12, height: 9 }, [0, 1]],
  ] as const)(
    "each have a pixel that the others leave them, where the window is larger to the %s",
    (_, window, places) => {
      const areas = places.map((place) => overhangIn(window, display, below, place));
      for (const own of areas) {
        const others = areas.filter((one) => one !== own);
        expect(left(window, own, others)).toBeGreaterThan(0);
      }
    },
  );

  it.each([0, 1, 2] as const)("stick out where they do not fill the display, at place %i", (place) => {
    const window = { width: 13, height: 9 };
    expect(left(window, overhangIn(window, display, { width: 4, height: 8 }, place), [])).toBeGreaterThan(0);
  });
});
