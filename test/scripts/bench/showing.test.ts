import { describe, expect, it } from "vitest";
import { lengthHistogram, type SeenItem } from "../../bench/showing.ts";

const first = { sight: "a", firstFrame: 0, frames: 1, startS: 0, startAt: 0, lengthMs: 0 };
const between = { black: 0, white: 0, house: 0, foreign: 0 };
const seen = (...lengths: readonly number[]): readonly SeenItem[] =>
  lengths.map((lengthMs) => ({ creative: "a", durationMs: 2_000, startS: 0, first, lengthMs, between }));

describe("how the lengths of items are spread", () => {
  it("is counted by whole refreshes, too long and too short, without the last item, which goes on", () => {
    const histogram = lengthHistogram({ spotloop: seen(2_000, 2_016, 1_984, 2_001, 9_000), other: seen(2_100, 0) });
    expect(histogram.spotloop).toEqual({ "-1": 1, 0: 2, 1: 1 });
    expect(histogram.other).toEqual({ 6: 1 });
  });
});
