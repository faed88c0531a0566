import { describe, expect, it } from "vitest";
import { layoutPage } from "../../../src/core/displays/page-layout.ts";

const DISPLAY = { width: 1280, height: 720 };

describe("an HTML item on a display (F20)", () => {
  it.each([
    ["of the display's size fills it", 1280, 720, { x: 0, y: 0, width: 1280, height: 720 }, 1],
    ["of the display's shape fills it, scaled", 1920, 1080, { x: 0, y: 0, width: 1280, height: 720 }, 2 / 3],
    ["that stands upright is centred between black bars", 1080, 1920, { x: 437, y: 0, width: 405, height: 720 }, 0.375],
    ["that is small is made as large as fits", 300, 250, { x: 208, y: 0, width: 864, height: 720 }, 2.88],
    ["that is a strip lies across the middle", 728, 90, { x: 0, y: 281, width: 1280, height: 158 }, 1280 / 728],
    [
      "a wide strip as on a wall of displays is shown whole",
      3840,
      240,
      { x: 0, y: 320, width: 1280, height: 80 },
      1 / 3,
    ],
  ])("%s", (_, width, height, area, scale) => {
    expect(layoutPage(width, height, DISPLAY)).toEqual({ page: { width, height }, area, scale });
  });

  it("covers each pixel of its area where its shape ends between two", () => {
    const { area, scale } = layoutPage(1366, 768, DISPLAY);
    expect(area).toEqual({ x: 0, y: 0, width: 1280, height: 720 });
    expect(1366 * scale).toBeGreaterThanOrEqual(1280);
    expect(768 * scale).toBeGreaterThanOrEqual(720);
    expect(1366 * scale).toBeLessThan(1280.7);
  });

  it.each([
    ["no size", null, null],
    ["half a size", 1920, null],
    ["a size of a few pixels", 16, 9],
    ["a size beyond all displays", 1_920_000, 1_080_000],
    ["a size of no shape", 10_000, 40],
  ])("with %s has the display's", (_, width, height) => {
    expect(layoutPage(width, height, DISPLAY)).toEqual({ page: DISPLAY, area: { x: 0, y: 0, ...DISPLAY }, scale: 1 });
  });

  it("is laid out anew for a display that was turned", () => {
    const turned = { width: 720, height: 1280 };
    expect(layoutPage(1080, 1920, turned).area).toEqual({ x: 0, y: 0, ...turned });
    expect(layoutPage(1920, 1080, turned).area).toEqual({ x: 0, y: 437, width: 720, height: 405 });
  });
});
