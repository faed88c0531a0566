import { describe, expect, it } from "vitest";
import { drawCuts } from "./cuts.ts";

describe("the power cuts of a run", () => {
  it("are the same for the same seed, and the first ones the same however many follow", () => {
    expect(drawCuts(20, 7)).toEqual(drawCuts(20, 7));
    expect(drawCuts(100, 7).slice(0, 20)).toEqual(drawCuts(20, 7));
    expect(drawCuts(20, 8)).not.toEqual(drawCuts(20, 7));
  });

  it("come while the machine starts, plays, loads, sends and writes, at instants all over the time they may come in", () => {
    const cuts = drawCuts(1_000, 3);
    expect(new Set(cuts.map(({ name }) => name)).size).toBe(5);
    const playing = cuts.filter(({ name }) => name === "playing").map(({ afterMs }) => afterMs);
    expect(Math.min(...playing)).toBeLessThan(500);
    expect(Math.max(...playing)).toBeGreaterThan(11_500);
    expect(cuts.every(({ afterMs }) => Number.isInteger(afterMs) && afterMs >= 0 && afterMs <= 40_000)).toBe(true);
  });

  it("are none where none are asked for", () => {
    expect(drawCuts(0, 1)).toEqual([]);
  });
});
