import { describe, expect, it } from "vitest";
import { BLACK, HOUSE } from "../support/display/eye.ts";
import type { Sighting } from "../support/display/sightings.ts";
import { compare } from "./seen.ts";

/** Sightings of these, each for a second, one after the other. */
function sightings(...sights: readonly string[]): readonly Sighting[] {
  return sights.map((sight, index) => ({
    ...{ sight, firstFrame: index * 60, frames: 60, lengthMs: 1_000 },
    ...{ startS: index, startAt: index * 1_000 },
  }));
}
const proofs = (...creatives: readonly string[]) => creatives.map((creative) => ({ creative, durationMs: 1_000 }));
const late = (...creatives: readonly string[]) => proofs(...creatives).map((proof) => ({ ...proof, isLate: true }));

describe("what was seen, held against what was proved", () => {
  it("pairs each proof with its showing; what was on its way at the end is left out", () => {
    const { items, unproved, unseen, between } = compare(
      sightings(BLACK, HOUSE, "a", "b", "a", "c"),
      proofs("a", "b", "a"),
    );
    expect(items.map(({ creative, startS, follows }) => [creative, startS, follows])).toEqual([
      ["a", 2, false],
      ["b", 3, true],
      ["a", 4, true],
    ]);
    expect([unproved, unseen]).toEqual([[], []]);
    expect(between.map(({ sight }) => sight)).toEqual(["a", "b", "a"]);
  });

  it("takes a proof that came when the watch had ended for what was seen to its end, and no further", () => {
    const { items, unproved, unseen } = compare(sightings("a", "b", "c"), [...proofs("a"), ...late("b", "c", "d")]);
    expect(items.map(({ creative }) => creative)).toEqual(["a", "b"]);
    expect([unproved, unseen]).toEqual([[], []]);
    const without = compare(sightings("a", "b", "c", "d"), [...proofs("a"), ...late("c")]);
    expect(without.unproved.map(({ sight }) => sight)).toEqual(["b"]);
    const none = compare(sightings("a", "b", "c"), [...proofs("a"), ...late("c", "d")]);
    expect(none.unproved.map(({ sight }) => sight)).toEqual(["b"]);
  });

  it("finds what was proved late in its turn, though what was shown after it was proved in time", () => {
    const proved = [...proofs("a"), ...late("b"), ...proofs("c")];
    const { items, unproved, unseen } = compare(sightings("a", "b", "c", "d"), proved);
    expect(items.map(({ creative }) => creative)).toEqual(["a", "b", "c"]);
    expect([unproved, unseen]).toEqual([[], []]);
  });

  it("knows items that were proved and not seen", () => {
    expect(compare(sightings("a", "c", "d"), proofs("a", "b", "c")).unseen).toEqual(proofs("b"));
  });

  it("knows showings that no proof came for, the one with house content after it too", () => {
    const { unproved, items } = compare(sightings("a", "b", HOUSE, "c", "d"), proofs("a", "c"));
    expect(unproved.map(({ sight }) => sight)).toEqual(["b"]);
    expect(items.map(({ follows }) => follows)).toEqual([false, false]);
  });

  it("keeps its place, however many showings in a row failed, or proofs were of what was not seen", () => {
    const seen = sightings("a", "b", "c", "d", "a", "b", "c", "d", "a", "b");
    const { items, unproved, unseen } = compare(seen, proofs("a", "b", "b", "c", "d", "x", "y", "a"));
    expect(items.map(({ creative, startS }) => creative + startS)).toEqual(["a0", "b1", "b5", "c6", "d7", "a8"]);
    expect(unproved.map(({ startS }) => startS)).toEqual([2, 3, 4]);
    expect(unseen.map(({ creative }) => creative)).toEqual(["x", "y"]);
  });

  it("counts an item twice that something came into: one showing of it is unproved", () => {
    const { unproved, between } = compare(sightings("a", BLACK, "a", "b", "c"), proofs("a", "b"));
    expect(unproved).toHaveLength(1);
    expect(between.some(({ sight }) => sight === BLACK)).toBe(true);
  });
});
