import { describe, expect, it } from "vitest";
import { Visibility } from "../../../src/main/window/visibility.ts";

function heard(): { sight: Visibility; told: boolean[] } {
  const sight = new Visibility();
  const told: boolean[] = [];
  sight.listen((seen) => told.push(seen));
  return { sight, told };
}

describe("the sight of a window", () => {
  it("is lost with the first reason and regained with the last", () => {
    const { sight, told } = heard();
    sight.note("unmapped", true);
    sight.note("covered", true);
    sight.note("unmapped", false);
    expect([told, sight.clear, sight.hiddenReasons]).toEqual([[false], false, ["covered"]]);
    sight.note("covered", false);
    expect([told, sight.clear]).toEqual([[false, true], true]);
  });

  it("says nothing twice", () => {
    const { sight, told } = heard();
    sight.note("covered", false);
    sight.note("minimized", true);
    sight.note("minimized", true);
    expect(told).toEqual([false]);
  });

  it("is lost for a moment when the window goes to another display, where there was any", () => {
    const { sight, told } = heard();
    sight.interrupt();
    sight.note("no display", true);
    sight.interrupt();
    expect(told).toEqual([false, true, false]);
  });
});
