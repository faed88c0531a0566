import { describe, expect, it } from "vitest";
import type { PanelState } from "../../../src/core/displays/panel.ts";
import { newLoop } from "../../../src/core/loop/loop.ts";
import type { LoopState } from "../../../src/core/loop/state.ts";
import { Sightings } from "../../../src/player/screen/playing-screen.ts";
import { endedPlayout } from "../record/ended.ts";

const { playout } = endedPlayout("p", 20_000);
const idle = newLoop({ maxAgeMs: 900_000, pageWithinMs: 20_000 });
const onAir: LoopState = {
  ...idle,
  slot: { playout, startsAt: 100, endsAt: 10_100, paintedAt: 120, failed: false, covered: null },
};

it("tells when an item on air began, and how old its page was then, once", () => {
  const sightings = new Sightings();
  sightings.notePage(playout, 450);
  sightings.notePanel("on");
  sightings.noteState(onAir);
  expect(sightings.take(playout, "d")).toEqual({ digest: "d", startedAt: 120, firstFrameAgeMs: 450, display: "on" });
  expect(sightings.take(playout, null)).toMatchObject({ firstFrameAgeMs: null });
});

it("knows no beginning of what was never on air, and no display before anything was told of it", () => {
  const sightings = new Sightings();
  expect(sightings.take(playout, null)).toEqual({
    ...{ digest: null, startedAt: null, firstFrameAgeMs: null, display: "unknown" },
  });
});

it.each([
  ["blanked", { ...idle, blanked: true, suspendReasons: ["closed"] }],
  ["hidden", { ...idle, blanked: true, suspendReasons: ["closed", "hidden"] }],
  ["unknown", idle],
] as const)("says that the display is %s", (display, state) => {
  const sightings = new Sightings();
  sightings.noteState(state);
  expect(sightings.take(playout, null).display).toBe(display);
});

describe("a display that is visible", () => {
  const seen = (...panels: readonly PanelState[]) => {
    const sightings = new Sightings();
    const [before = "unknown", ...during] = panels;
    sightings.notePanel(before);
    sightings.noteState(onAir);
    for (const panel of during) sightings.notePanel(panel);
    return [sightings.take(playout, null).display, sightings.display];
  };

  it("is recorded as on only where it has said so for as long as the item was on air", () => {
    expect([seen("on"), seen("on", "on")]).toEqual([
      ["on", "on"],
      ["on", "on"],
    ]);
    expect([seen("unknown", "on"), seen("on", "unknown", "on"), seen("on", "unknown")]).toEqual([
      ["unknown", "on"],
      ["unknown", "on"],
      ["unknown", "unknown"],
    ]);
  });
});
