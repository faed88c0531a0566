import { describe, expect, it } from "vitest";
import { joinedSlope, slopeOf } from "./slope.ts";

const HOUR_MS = 3_600_000;

describe("the slope of a figure over time", () => {
  it("is what it gains in an hour, without any doubt where all lies on a line", () => {
    const points = Array.from({ length: 100 }, (_, index) => ({ atMs: index * 60_000, value: 7 + index / 60 }));
    const { perHour, plusMinus } = slopeOf(points);
    expect(perHour).toBeCloseTo(1, 6);
    expect(plusMinus).toBeCloseTo(0, 6);
  });

  it("is no more than its doubt where a figure only swings", () => {
    const points = Array.from({ length: 480 }, (_, index) => ({
      atMs: (index * HOUR_MS) / 480,
      value: 100 + 10 * Math.sin(index * 1.7),
    }));
    const { perHour, plusMinus } = slopeOf(points);
    expect(Math.abs(perHour)).toBeLessThan(plusMinus);
  });

  it("is not known of two points", () => {
    const two = [0, 1].map((value) => ({ atMs: value, value }));
    expect(slopeOf(two).perHour).toBeNaN();
  });

  it("is that of the pieces, whatever height each begins at", () => {
    const from = (height: number) =>
      Array.from({ length: 100 }, (_, index) => ({ atMs: index * 60_000, value: height + index / 30 }));
    const { perHour, plusMinus, overMs } = joinedSlope([from(100), from(50)].map(slopeOf));
    expect(perHour).toBeCloseTo(2, 6);
    expect(plusMinus).toBeCloseTo(0, 6);
    expect(overMs).toBe(2 * 99 * 60_000);
  });

  it("is in more doubt where the pieces disagree, and in less where there are more of them", () => {
    const rising = (perHour: number) =>
      slopeOf(
        Array.from({ length: 96 }, (_, index) => ({
          atMs: index * 60_000,
          value: (perHour * index) / 60 + Math.sin(index * 1.7),
        })),
      );
    const [alike, unlike] = [joinedSlope([rising(2), rising(2)]), joinedSlope([rising(0), rising(4)])];
    expect(unlike.perHour).toBeCloseTo(alike.perHour, 1);
    expect(unlike.plusMinus).toBeGreaterThan(4 * alike.plusMinus);
    expect(alike.plusMinus).toBeLessThan(rising(2).plusMinus);
  });

  it("is told nothing by a piece that is too short for one", () => {
    const known = slopeOf([0, 1, 2, 4].map((value) => ({ atMs: value, value })));
    const short = slopeOf([0, 1].map((value) => ({ atMs: value, value })));
    expect(joinedSlope([known, short])).toMatchObject({ plusMinus: known.plusMinus, freedom: 2 });
    expect(joinedSlope([short]).perHour).toBeNaN();
  });
});
