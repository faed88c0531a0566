import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptOf, readKept, textOf } from "../../../scripts/figures/kept.ts";
import { plots } from "../../../scripts/figures/plots.ts";
import type { Run } from "../../figures/run.ts";
import type { Footprint } from "../../soak/footprint.ts";
import { pieceOf } from "../../soak/report.ts";
import { addedUp, type SoakSummary, summaryOf } from "../../soak/summary.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { aRun } from "./a-run.ts";

const bench = (figures: object, command = "npm run bench -- owing"): Run => {
  return { ...aRun("chaos", {}), name: "bench", command, figures };
};
const line = (name: string) => ({ name, title: "T", beside: "B", rows: [] });

const HOUR_MS = 3_600_000;
const footprint = (atMs: number): Footprint => ({
  ...{ atMs, processes: 5, handles: 100, threads: 50, diskMb: 3, proofsKb: 40, indexKb: 20 },
  memoryMb: { main: 100 + atMs / HOUR_MS, renderers: 50, gpu: 30, network: 20, others: 10 },
});
/** So many pieces of two hours with a sample every ten seconds, in which nothing was seen. */
function aSoak(pieces: number): Run {
  const { at, machine } = aRun("soak", {});
  const samples = Array.from({ length: 2 * 360 }, (_, index) => footprint((index + 1) * 10_000));
  const seen = { items: [], unproved: [], unseen: [], between: [] };
  const piece = pieceOf({ seen, samples, stalls: [], restartsAtMs: [], log: [], begunAt: new Date(0), rotation: [] });
  const one = summaryOf([piece], { speed: 1, at, processor: machine.processor });
  return aRun(
    "soak",
    Array.from({ length: pieces - 1 }).reduce<SoakSummary>((sum) => addedUp(sum, one), one),
  );
}

describe("what is kept of a run", () => {
  it("is of a bench each line by itself, each with the command that measured it", () => {
    const runs = keptOf(bench({ quick: false, starts: { all: 1, busy: 0 }, lines: [line("owing"), line("memory")] }));
    expect(runs.map(({ name }) => name)).toEqual(["bench-owing", "bench-memory"]);
    expect(runs.map(({ command, figures }) => [command, (figures as { name: string }).name])).toEqual([
      ["npm run bench -- owing", "owing"],
      ["npm run bench -- owing", "memory"],
    ]);
  });

  it("is nothing of the short form of a bench", () => {
    expect(() => keptOf(bench({ quick: true, lines: [line("owing")] }))).toThrow("says only that it runs");
  });

  it("is nothing of what the docs have no place for", () => {
    expect(() => keptOf({ ...aRun("fleet", {}), name: "fleet-part" })).toThrow("no place for fleet-part");
    expect(() => keptOf(bench({ lines: [line("speed-of-light")] }))).toThrow("no place for bench-speed-of-light");
  });

  it("is of a soak of days in pieces its sums and slopes, and so many points of its memory that the file stays small", () => {
    const [soak] = keptOf(aSoak(36)) as [Run];
    expect(JSON.stringify(JSON.parse(textOf(soak)), null, 1).length).toBeLessThan(30_000);
    expect(soak.figures).toMatchObject({ speed: 1, last: null, all: { frames: 0, restarts: 0 } });
    expect((soak.figures as SoakSummary).pieces).toHaveLength(36);
    const { slopes } = soak.figures as { slopes: Record<string, { perHour: number }> };
    expect(slopes["memory of all, MB"]?.perHour).toBeCloseTo(1, 3);
    const svg = plots({ soak: soak as never })["soak-memory.svg"];
    expect(svg).toContain("+1.0 ± 0.0 an hour");
    expect(plots({ soak: JSON.parse(textOf(soak)) })["soak-memory.svg"]).toBe(svg);
  });

  it("has no more digits than anybody reads", () => {
    const [run] = keptOf(aRun("chaos", { kills: 1_234_567, lost: 2474.67587462544 })) as [Run];
    expect(JSON.parse(textOf(run)).figures).toEqual({ kills: 1_234_567, lost: 2474.68 });
  });
});

describe("the kept runs", () => {
  it("are read by name, none where none was kept yet", () => {
    const folder = temporaryFolder();
    expect(readKept(join(folder, "none"))).toEqual({});
    writeFileSync(join(folder, "chaos.json"), textOf(aRun("chaos", { kills: 3 })));
    writeFileSync(join(folder, "length-error.svg"), "<svg/>");
    expect(readKept(folder).chaos?.figures.kills).toBe(3);
  });

  it("are refused where a file is named unlike its run, or has no place in the docs", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "soak.json"), textOf(aRun("chaos", {})));
    expect(() => readKept(folder)).toThrow("soak.json is a run of chaos");
  });
});

describe("the plot of lengths", () => {
  it("has a bar for each error that was seen, and none for one that was not", () => {
    const starts = { all: 0, busy: 0 };
    const histogram = { what: "error", unit: "refreshes", spotloop: { 0: 9, 1: 1 }, other: { "-2": 4, 90: 1, 77: 1 } };
    const thousand = aRun("bench-thousand", { title: "T", beside: "a <b> page", rows: [], histogram, starts });
    const svg = plots({ "bench-thousand": thousand })["length-error.svg"] ?? "";
    expect(svg.match(/<rect [^>]*height="(?!12")[\d.]+" fill="#[0-9a-f]{6}"/g)).toHaveLength(4);
    expect(svg).toContain(">a &lt;b> page<");
    expect(svg).toContain(">+1<");
    expect(svg).toContain(">≥+10<");
  });

  it("is not there without a run", () => {
    expect(plots({})).toEqual({});
  });
});
