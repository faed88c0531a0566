import { describe, expect, it } from "vitest";
import { Visibility } from "../../../src/main/window/visibility.ts";

function heard(): { visibility: Visibility; told: boolean[] } {
  const visibility = new Visibility();
  const told: boolean[] = [];
  visibility.listen((isVisible) => told.push(isVisible));
  return { visibility, told };
}

describe("the visibility of a window", () => {
  it("is lost with the first reason and regained with the last", () => {
    const { visibility, told } = heard();
    visibility.note("unmapped", true);
    visibility.note("covered", true);
    visibility.note("unmapped", false);
    expect([told, visibility.isVisible, visibility.hiddenReasons]).toEqual([[false], false, ["covered"]]);
    visibility.note("covered", false);
    expect([told, visibility.isVisible]).toEqual([[false, true], true]);
  });

  it("says nothing twice", () => {
    const { visibility, told } = heard();
    visibility.note("covered", false);
    visibility.note("minimized", true);
    visibility.note("minimized", true);
    expect(told).toEqual([false]);
  });

  it("is lost for a moment when the window goes to another display, where there was any", () => {
    const { visibility, told } = heard();
    visibility.interrupt();
    visibility.note("no display", true);
    visibility.interrupt();
    expect(told).toEqual([false, true, false]);
  });
});
