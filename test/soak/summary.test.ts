import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginRun } from "../figures/run.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import type { Footprint } from "./footprint.ts";
import { pieceOf, type SoakPiece } from "./report.ts";
import { addedUp, readSummary, type SoakSummary, summaryOf } from "./summary.ts";

const HOUR_MS = 3_600_000;

/** A piece of two hours and a half in which the main process begins at a size of its own and gains 2 MB an hour. */
function piece(beginsMb: number, violations: readonly string[] = []): SoakPiece {
  const samples = Array.from({ length: 900 }, (_, index): Footprint => {
    const atMs = (index + 1) * 10_000;
    return {
      ...{ atMs, processes: 5, handles: 100, threads: 50, diskMb: 3, proofsKb: 40, indexKb: 20 },
      memoryMb: {
        main: beginsMb + (2 * atMs) / HOUR_MS + (index % 3),
        renderers: 50,
        gpu: 30,
        network: 20,
        others: 10,
      },
    };
  });
  const items = [0, 1, 2].map((hour) => {
    return {
      creative: "a",
      durationMs: 2_000,
      lengthMs: 2_000 + hour,
      startS: 3_600 * hour,
      startAt: 0,
      follows: false,
    };
  });
  const between = items.map(({ startS, lengthMs }) => {
    return { sight: "a", frames: 120, firstFrame: 0, startS, startAt: 0, lengthMs };
  });
  const seen = { items, unproved: [], unseen: [], between };
  const calm = { stalls: [], restartsAtMs: [], log: [], begunAt: new Date(0), rotation: ["a"] };
  return { ...pieceOf({ ...calm, seen, samples }), violations };
}

const sitting = { speed: 4, at: "2026-01-31T12:00:00.000Z", processor: "one" };
const early = piece(80, ["a was shown at 1.0 s and not proved"]);
const late = piece(95);

describe("the summary of a soak", () => {
  const apart = addedUp(summaryOf([early], sitting), summaryOf([late], { ...sitting, processor: "another" }));

  it("is the same of pieces that were run one after the other and at once", () => {
    const { pieces, slopes, series, ...others } = apart;
    const together = summaryOf([early, late], sitting);
    expect(others).toEqual({ speed: 4, first: together.first, last: together.last, all: together.all });
    const name = "main process, MB";
    expect(slopes[name].perHour).toBeCloseTo(together.slopes[name].perHour, 9);
    expect(slopes[name].plusMinus).toBeCloseTo(together.slopes[name].plusMinus, 9);
    expect(slopes[name].perHour).toBeCloseTo(2, 2);
    expect(series.hours.at(-1)).toBeGreaterThan(4.9);
    expect(pieces.map(({ hours, processor }) => [hours, processor])).toEqual([
      [2.5, "one"],
      [2.5, "another"],
    ]);
  });

  it("keeps what was wrong with the piece in which it was", () => {
    expect(apart.pieces.map(({ violations }) => violations)).toEqual([["a was shown at 1.0 s and not proved"], []]);
  });

  it("counts the hours on, and sums and mosts over all of them", () => {
    expect([apart.first.hour, apart.last?.hour]).toEqual([1, 6]);
    expect(apart.all).toMatchObject({ frames: 720, items: 6, lengthErrorMostMs: 2, restarts: 0 });
  });

  it("does not grow with the pieces", () => {
    const one = summaryOf([late], sitting);
    const many = Array.from({ length: 9 }).reduce<SoakSummary>((sum) => addedUp(sum, one), one);
    expect(many.pieces).toHaveLength(10);
    expect(many.series.hours.length).toBeLessThanOrEqual(150);
    expect(many.series.hours).toEqual([...many.series.hours].sort((a, b) => a - b));
    expect(many.series["main process, MB"]).toHaveLength(many.series.hours.length);
  });
});

const runInto = (file: string) => beginRun("soak", [], { version: "45.4.1", fallback: false }, file);
const aFile = () => join(temporaryFolder(), "soak.json");

describe("the file of a soak in pieces", () => {
  it("gives back what was written, and nothing before the first", () => {
    const file = aFile();
    expect(readSummary(file, 4)).toBeNull();
    const summary = summaryOf([early], sitting);
    runInto(file).write("soak", summary);
    expect(readSummary(file, 4)).toEqual(summary);
  });

  it("takes no pieces of another pace, nor of another command, and stays as it is", () => {
    const file = aFile();
    runInto(file).write("soak", summaryOf([early], sitting));
    const before = readFileSync(file, "utf8");
    expect(() => readSummary(file, 1)).toThrow("its pieces are not at 1 times the pace");
    expect(readFileSync(file, "utf8")).toBe(before);
    runInto(file).write("chaos", {});
    expect(() => readSummary(file, 4)).toThrow("it is a run of chaos");
  });

  it.each(["", "[]", '{"pieces":[]}', "{"])("refuses a file with %j", (text) => {
    const file = aFile();
    writeFileSync(file, text);
    expect(() => readSummary(file, 1)).toThrow("holds no run");
  });
});
