import { describe, expect, it } from "vitest";
import { BLACK, EMPTY, FOREIGN } from "../support/display/eye.ts";
import type { Sighting } from "../support/display/sightings.ts";
import type { Stall } from "../support/display/stalls.ts";
import type { Footprint } from "./footprint.ts";
import { pieceOf, reportOf, type SoakPiece } from "./report.ts";
import { compare, type ProvedItem } from "./seen.ts";
import { tableOf } from "./table.ts";

const footprint = (atMs: number): Footprint => ({
  ...{ atMs, processes: 5, handles: 100, threads: 50, diskMb: 3, proofsKb: 40, indexKb: 20 },
  memoryMb: { main: 100, renderers: 50, gpu: 30, network: 20, others: 10 },
});
const samples = [footprint(0), footprint(1_800_000), footprint(3_599_000), footprint(5_000_000)];
const sighting = (sight: string, startS: number, lengthMs: number): Sighting => {
  const startAt = startS * 1000;
  return { sight, firstFrame: startS * 60, frames: Math.round((lengthMs * 60) / 1000), startS, startAt, lengthMs };
};

function piece(
  sightings: readonly Sighting[],
  proved: readonly ProvedItem[],
  rotation: readonly string[],
  stalls: readonly Stall[] = [],
  log: readonly string[] = [],
): SoakPiece {
  const seen = compare(sightings, proved);
  const begunAt = new Date("2026-01-31T23:59:58Z");
  return pieceOf({ seen, samples, stalls, restartsAtMs: [4_000_000], log, begunAt, rotation });
}

describe("the report of a soak", () => {
  it("has a column for each hour, with lengths, drift and restarts of that hour", () => {
    const sightings = [
      sighting("a", 1, 2_017),
      sighting("b", 3.017, 1_983),
      sighting("a", 3_700, 2_000),
      sighting("b", 3_702, 50),
    ];
    const proved = ["a", "b", "a"].map((creative) => ({ creative, durationMs: 2_000 }));
    const { hours, violations } = piece(sightings, proved, ["a", "b"]);
    expect(violations).toEqual([]);
    expect(hours.map(({ hour, items, restarts }) => [hour, items, restarts])).toEqual([
      [1, 2, 0],
      [2, 1, 1],
    ]);
    expect(hours[0]?.lengthErrorMostMs).toBeCloseTo(17, 6);
    expect(hours[0]?.driftMs).toBeCloseTo(17, 6);
    expect(hours[0]?.footprint["memory of all, MB"]).toBe(210);
  });

  it("tells the lengths of those items by themselves that the machine did not hold up", () => {
    const sightings = [sighting("a", 1, 2_400), sighting("b", 3.4, 2_017), sighting("a", 5.417, 50)];
    const proved = ["a", "b"].map((creative) => ({ creative, durationMs: 2_000 }));
    const keptUpAmid = (...stalls: readonly Stall[]) => piece(sightings, proved, ["a", "b"], stalls).hours[0]?.keptUp;
    expect(keptUpAmid({ from: 3_000, to: 3_380 })).toEqual({ others: 1, p99Ms: 17, mostMs: 17 });
    expect(keptUpAmid({ from: 3_000, to: 3_090 })).toMatchObject({ others: 0, mostMs: 400 });
    expect(keptUpAmid()).toMatchObject({ others: 0, mostMs: 400 });
  });

  it("tells beside a wrong sight what it was like and what the player said around it, past midnight too", () => {
    const log = [
      "00:00:00.500 INFO  long before",
      "00:00:01.800 WARN  just before",
      "no line",
      "00:00:04.200 INFO  after",
    ];
    const wrong = { ...sighting(EMPTY, 5, 50), because: "all of it #173049" };
    const sightings = [sighting("a", 1, 2_000), wrong, sighting("a", 5.05, 2_000)];
    const proved = ["a", "a"].map((creative) => ({ creative, durationMs: 2_000 }));
    const { violations } = piece(sightings, proved, ["a"], [], log);
    expect(violations[0]).toBe(`3 frames ${EMPTY} at 5.0 s, after a, before a\n    ${wrong.because}\n    ${log[1]}`);
  });

  it("names what a screen must not do", () => {
    const sightings = [
      sighting("a", 1, 2_000),
      sighting(BLACK, 3, 50),
      sighting(FOREIGN, 3.05, 50),
      sighting("b", 4, 2_000),
      sighting("a", 6, 10),
    ];
    const proved = ["a", "b"].map((creative) => ({ creative, durationMs: 2_000 }));
    const found = piece(sightings, proved, ["a", "b", "c"]);
    expect(found.violations).toEqual([
      "3 frames (black) at 3.0 s, after a, before (foreign)",
      "3 frames (foreign) at 3.0 s, after (black), before b",
      "c was never shown",
    ]);
    expect(tableOf(reportOf([found]))).toContain("- 3 frames (black) at 3.0 s, after a, before (foreign)\n");
  });

  it("adds pieces up: hours and samples go on, and each piece is told by its number", () => {
    const good = piece([sighting("a", 1, 2_000), sighting("b", 3, 50)], [{ creative: "a", durationMs: 2_000 }], ["a"]);
    const bad = { ...good, violations: ["a was proved and not seen"] };
    const joined = reportOf([good, bad]);
    expect(joined.hours.map(({ hour, items }) => [hour, items])).toEqual([
      [1, 1],
      [2, 0],
      [3, 1],
      [4, 0],
    ]);
    expect(joined.samples.map(({ atMs }) => atMs / 1_000)).toEqual([
      0, 1_800, 3_599, 5_000, 5_000, 6_800, 8_599, 10_000,
    ]);
    expect([joined.shown, joined.violations]).toEqual([{ a: 2 }, ["piece 2: a was proved and not seen"]]);
  });
});
