import { describe, expect, it } from "vitest";
import { BLOCKS } from "../../../scripts/figures/blocks.ts";
import type { BenchLine, KeptRuns } from "../../../scripts/figures/kept.ts";
import type { Comparison } from "../../bench/line.ts";
import { type KeptLine, reportOf } from "../../bench/report.ts";
import { aRun } from "./a-run.ts";

const STARTS = { all: 6, busy: 2 };
/** What a block makes of runs, without which these were. */
const made = (name: string, kept: KeptRuns) => BLOCKS[name]?.text(kept) ?? "";
const measured = (what: string, rounds: number[], other: number[], rest: Partial<Comparison> = {}): Comparison => {
  return { what, unit: "ms", digits: 0, as: "pair", spotloop: rounds, other, ...rest };
};
function aLine(...rows: Comparison[]): BenchLine {
  const [line] = reportOf(false, new Map([["line", { title: "A title", beside: "bare window", rows }]]), STARTS).lines;
  return { ...(line as KeptLine), starts: STARTS };
}

describe("the figures of the bench", () => {
  it("are a table a line, with medians, ranges, ratios and goals where there are any", () => {
    const memory = aLine(measured("memory", [300, 320, 310], [200, 200, 200], { as: "ratio", goal: 1.4, unit: "MB" }));
    const startup = aLine(measured("first item", [5], [4]));
    const text = made("cost", {
      "bench-memory": aRun("bench-memory", memory),
      "bench-startup": aRun("bench-startup", startup),
    });
    expect(text).toContain(" load before 0.1. 2 of 6 measurements began on a machine busy with something else.\n\n");
    expect(text).toContain(
      "A title.\n\n|  | Spotloop | Bare window | Ratio | Goal |\n|---|---|---|---|---|\n" +
        "| Memory | 310 MB (300-320) | 200 MB | 1.55 | At most 1.4: **missed** |\n",
    );
    expect(text).toContain("|  | Spotloop | Bare window |\n|---|---|---|\n| First item | 5 ms | 4 ms |");
  });

  it("are six in the README, from the runs that the docs show whole", () => {
    const line = (...rows: Comparison[]) => aLine(...rows);
    const ratio = { as: "ratio" } as const;
    const kept: KeptRuns = {
      "bench-thousand": aRun("bench-thousand", line(measured("black frames in all", [0], [77], { unit: "" }))),
      "bench-transitions": aRun(
        "bench-transitions",
        line(
          measured("error of an item's length, p50", [0], [17]),
          measured("error of an item's length, most", [33], [133]),
        ),
      ),
      chaos: aRun("chaos", { kills: 200, lost: 0, falseProofs: 1 }),
      simulate: aRun("simulate", { days: 365, faults: { crash: 900, reboot: 150 }, failure: null, totals: TOTALS }),
      "bench-owing": aRun("bench-owing", line(measured("proofs owed a second", [89], [100], ratio))),
      "bench-memory": aRun("bench-memory", line(measured("memory of all processes (PSS), median", [6], [5], ratio))),
    };
    const rows = made("readme", kept).trim().split("\n").slice(2);
    expect(rows).toEqual([
      "| Black frames in 1,000 items of video, image and HTML | 0 | 77 in 40: one page that swaps elements |",
      "| Error of an item's length, median and most | 0 ms, 33 ms | 17 ms, 133 ms: the same page |",
      "| Proofs lost and false ones in 200 kills | 0 and 1 |  |",
      "| Proofs lost in 365 simulated days with 1,050 faults | 0 |  |",
      "| Proofs owed a second, each on the disk before the next | 0.89 of raw SQLite inserts |  |",
      "| Memory | 1.20 of a bare window with the same clip |  |",
    ]);
    const failed = { at: 0, complaints: ["a proof was lost"], last: [] };
    const simulate = aRun("simulate", { days: 1, faults: {}, failure: failed, totals: TOTALS });
    expect(made("readme", { ...kept, simulate })).toContain("**the run failed**");
    expect(() => made("readme", { ...kept, "bench-owing": aRun("bench-owing", aLine()) })).toThrow(
      "has no figure named",
    );
  });
});

const TOTALS = {
  ...{ offered: 9, shown: 8, delivered: 7, refused: 1, expired: 0, lostWithDisk: 0, lostWithDamage: 0, repeated: 2 },
};

describe("the figures of the other commands", () => {
  it("say of kills what was lost, and whether that is what it should be", () => {
    const chaos = aRun("chaos", {
      ...{ kills: 2, killedWhile: { sending: 2 }, shown: 5, proved: 4, lost: 1, falseProofs: 0, duplicates: 2 },
      ...{ mostDuplicates: 2, cued: 9, brokenCued: 0, unsound: 0, violations: ["one"] },
    });
    const text = made("chaos", { chaos });
    expect(text).toContain("| Kills | 2: 2 sending |  |");
    expect(text).toContain("| Proofs lost | 1 | 0: **missed** |");
    expect(text).toContain("| Duplicates by one kill, at most | 2 | 1: **missed** |");
    expect(text).toContain("| False proofs | 0 | 0: met |");
    expect(() => made("chaos", { chaos: aRun("chaos", { ...chaos.figures, lost: undefined as never }) })).toThrow(
      "no figure",
    );
  });

  it("say of virtual days what they took and what was found", () => {
    const machine = { starts: 3, crashes: 1, restarts: 0, reboots: 1, "clock jumps": 4, "starts refused": 0 };
    const simulate = aRun("simulate", {
      ...{
        days: 10,
        realMs: 25_000,
        faults: { crash: 7, blackout: 4 },
        machine,
        spots: 50,
        totals: TOTALS,
        failure: null,
      },
    });
    const text = made("simulate", { simulate });
    expect(text).toContain("| Seconds for each | 2.5 | 2 s: **missed** |");
    expect(text).toContain("| Faults, of so many kinds | 11, 2 |  |");
    expect(text).toContain("| Clock jumps | 4 |  |");
  });

  it("say of creatives how many are as in a bare window, and name the others", () => {
    const right = { verdict: "right" as const };
    const creatives = [
      { ...right, name: "a", pixels: 0 },
      { ...right, name: "b", pixels: 0.004 },
      { verdict: "refused" as const, name: "hevc", pixels: null },
      { verdict: "wrong" as const, name: "c", pixels: 0.5 },
    ];
    const text = made("fidelity", { fidelity: aRun("fidelity", { creatives }) });
    expect(text).toContain("| As in the bare window, and proved | 2 |  |");
    expect(text).toContain("| Cannot be shown, and refused by name | 1: `hevc` |  |");
    expect(text).toContain("| Anything else | 1: `c` | 0: **missed** |");
  });

  it("say of pages how old they were at first sight, and of cold starts how many were whole", () => {
    const age = aRun("fidelity-age", { planned: 3, ages: [400, 500], medianMs: 450, maxMs: 1_100, maxLatenessMs: 17 });
    const text = made("fidelity-age", { "fidelity-age": age });
    expect(text).toContain("| Pages seen | 2 of 3 | all: **missed** |");
    expect(text).toContain("| Age at first sight, most | 1,100 ms | 1,000 ms: **missed** |");
    expect(text).toContain("| Later than planned, most | 17 ms | two frames: met |");
    const starts = [
      { name: "a", kind: "whole" as const, frames: 3 },
      { name: "b", kind: "never-whole" as const },
    ];
    const cold = made("fidelity-cold", { "fidelity-cold": aRun("fidelity-cold", { starts }) });
    expect(cold).toContain("| With whole frames only | 1 | all: **missed** |");
  });

  it("say of upgrades and boots each step, what was seen and how long it took", () => {
    const steps = [
      { name: "reboot", seen: "  spots\n on the   screen", seconds: 61.4, isDone: true, picture: null },
      { name: "power cut", seen: `no picture: ${"word ".repeat(20)}`, seconds: 900, isDone: false, picture: null },
    ];
    const verdicts = { shown: 8, counted: 8, lost: 0, falseProofs: 0, duplicates: 1, broken: 0, violations: [] };
    const boot = made("boot-test", { "boot-test": aRun("boot-test", { steps, verdicts, before: [] }) });
    expect(boot).toContain("| Reboot | spots; on the screen | 61 |");
    expect(boot).toContain(`| Power cut | **failed**: no picture: ${"word ".repeat(15)}wor… | 900 |`);
    expect(boot).toContain("Proofs counted by the network: 8; lost: 0;");
    expect(made("boot-test", { "boot-test": aRun("boot-test", { steps, verdicts: null, before: [] }) })).toContain(
      "The run of 2026-11-23T12:00:00.000Z ended at: power cut.",
    );
    const update = made("update-test", { "update-test": aRun("update-test", { withinS: 120, steps }) });
    expect(update).toContain("An upgrade has 120 s to prove.");
  });

  it("add up the power cuts of several boot tests, and say each other step of the last one", () => {
    const piece = (seconds: number, lost: number) => ({
      steps: [
        ...["reboot", "cut 1 of 2: playing", "cut 2 of 2: starting", "upgrade"].map((name) => {
          return { name, seen: `after ${seconds} s`, seconds, isDone: true, picture: null };
        }),
      ],
      verdicts: {
        shown: 8,
        counted: 8,
        lost,
        falseProofs: 0,
        duplicates: 1,
        broken: 0,
        violations: lost > 0 ? ["lost"] : [],
      },
    });
    const before = [aRun("boot-test", piece(50, 2))];
    const boot = made("boot-test", { "boot-test": aRun("boot-test", { ...piece(60, 0), before }) });
    expect(boot.split("\n").filter((line) => line.startsWith("|"))).toEqual([
      "| Step | Seen | s |",
      "|---|---|---|",
      "| Reboot | after 60 s | 60 |",
      "| Power cuts while playing | 2 | 55 (50-60) |",
      "| Power cuts while starting | 2 | 55 (50-60) |",
      "| Upgrade | after 60 s | 60 |",
    ]);
    expect(boot).toContain("counted by the network: 16; lost: 2; false: 0; sent once more: 2.");
    expect(boot).toContain(
      "Broken files and databases after 4 power cuts: 0. Broken promises in all: 1. All of it took 7.3 minutes.",
    );
  });
});
