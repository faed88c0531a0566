import { describe, expect, it } from "vitest";
import { addUp, partsOf } from "./parts.ts";

describe("the parts of many kills", () => {
  it("have as many kills together as were asked for, and a seed each from the one that was given", () => {
    expect(partsOf(50, 11)).toEqual([{ kills: 50, seed: 11 }]);
    expect(partsOf(1_200, 11)).toEqual([
      { kills: 500, seed: 11 },
      { kills: 500, seed: 12 },
      { kills: 200, seed: 13 },
    ]);
  });

  it("add up; of duplicates by one kill the most counts", () => {
    const one = {
      ...{ kills: 3, seed: 11, killedWhile: { sending: 3 }, shown: 5, proved: 6, lost: 1, falseProofs: 0 },
      ...{ duplicates: 2, mostDuplicates: 2, cued: 7, brokenCued: 1, unsound: 0, violations: ["one was lost"] },
    };
    const other = {
      ...{ kills: 2, seed: 12, killedWhile: { sending: 1, playing: 1 }, shown: 1, proved: 1, lost: 0, falseProofs: 4 },
      ...{ duplicates: 1, mostDuplicates: 1, cued: 2, brokenCued: 0, unsound: 3, violations: [] },
    };
    expect(addUp([one, other])).toEqual({
      ...{ kills: 5, killedWhile: { sending: 4, playing: 1 }, shown: 6, proved: 7, lost: 1, falseProofs: 4 },
      ...{ duplicates: 3, mostDuplicates: 2, cued: 9, brokenCued: 1, unsound: 3 },
      violations: ["seed 11: one was lost"],
    });
  });
});
