import { afterEach, expect, it, vi } from "vitest";
import { instantOf } from "../../../src/main/stage/page-time.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const HOUR = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** When it was drawn, by a page that drew 20 ms ago and whose wall clock, as it began, was so far ahead of ours when we began. */
async function drawnAt(aheadMs: number): Promise<number> {
  const clock = new ManualClock();
  await clock.advance(1_000);
  vi.spyOn(performance, "now").mockReturnValue(500);
  return instantOf(performance.timeOrigin + 500 + aheadMs - 20, clock, 900);
}

it("a page's time is ours, whichever way the wall clock was set before its process began", async () => {
  for (const setBy of [0, HOUR, -HOUR]) {
    vi.spyOn(Date, "now").mockReturnValue(performance.timeOrigin + 500 + setBy);
    expect(await drawnAt(setBy), `set by ${setBy} ms`).toBeCloseTo(980, 3);
  }
});

it("a page whose process began before the wall clock was set goes by what ours goes by", async () => {
  vi.spyOn(Date, "now").mockReturnValue(performance.timeOrigin + 500 + HOUR);
  expect(await drawnAt(0)).toBeCloseTo(980, 3);
});

it("a time that cannot be is taken for now: before the deck was raised, or to come", async () => {
  vi.spyOn(Date, "now").mockReturnValue(performance.timeOrigin + 500);
  expect([await drawnAt(HOUR), await drawnAt(-HOUR)]).toEqual([1_000, 1_000]);
});
