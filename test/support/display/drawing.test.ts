import { describe, expect, it } from "vitest";
import { sinceIn } from "./drawing.ts";

describe("a frame that was grabbed at 2,016 ms, after one at 2,000", () => {
  it.each([
    ["the last drawing before it", [1_990, 2_003, 2_012, 2_030], 2_012],
    ["a drawing soon after its stamp, where there is none before it", [1_990, 2_021, 2_030], 2_021],
    ["its stamp, where nothing was heard that it could show", [1_990, 2_030], 2_016],
  ])("came in sight with %s", (_, drawn, since) => {
    expect(sinceIn(drawn, 2_000, 2_016)).toBe(since);
  });
});
