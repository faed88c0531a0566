import { describe, expect, it } from "vitest";
import { median, medianRatio, percentile, range } from "../../bench/statistics.ts";

describe("the bench's statistics", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
    [[], Number.NaN],
  ])("find the middle of %j", (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  it("find the smallest and the largest", () => {
    expect(range([3, 20, 100])).toEqual([3, 100]);
  });

  it("compare what was measured in the same round, so that one slow round is no matter", () => {
    expect(medianRatio([10, 100, 10], [5, 50, 1])).toBe(2);
  });

  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])("find what a share of %d of the values does not exceed", (share, value) => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(values, share)).toBe(value);
  });
});
