import { describe, expect, it } from "vitest";
import type { Comparison } from "../../bench/line.ts";
import { comparisonOf, reportOf } from "../../bench/report.ts";
import { isMet, tableOf } from "../../bench/table.ts";

const memory: Comparison = {
  ...{ what: "memory", unit: "MB", digits: 0, as: "ratio", goal: 1.4 },
  spotloop: [300, 320, 310],
  other: [200, 200, 200],
};
const frames: Comparison = {
  what: "black frames",
  unit: "",
  digits: 2,
  as: "pair",
  goal: 0,
  spotloop: [0],
  other: [2.5],
};

describe("the bench's table", () => {
  it("has a row for each comparison, with medians, ranges, the ratio, and whether the goal is met", () => {
    expect(tableOf({ title: "Two things", beside: "bare window", rows: [memory, frames] })).toBe(
      [
        "Two things",
        "                         Spotloop   bare window   ratio                  goal",
        "  memory         310 MB (300-320)        200 MB    1.55   at most 1.4: missed",
        "  black frames               0.00          2.50                at most 0: met",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["at most", { ...memory, goal: 1.6 }, true],
    ["at most", memory, false],
    ["at least", { ...memory, goal: 1.5, goalIs: "least" }, true],
    ["at least", { ...memory, goal: 1.6, goalIs: "least" }, false],
    ["no", { what: "x", unit: "", digits: 0, as: "pair", spotloop: [1], other: [1] }, null],
  ] as [string, Comparison, boolean | null][])("judges by a goal that is %s limit", (_, row, met) => {
    expect(isMet(row)).toBe(met);
  });
});

describe("the bench's report", () => {
  it("has every round of every line, and what follows from them", () => {
    const sections = new Map([["memory", { title: "T", beside: "B", rows: [memory] }]]);
    const { quick, lines } = reportOf(true, sections, { all: 3, busy: 1 });

    expect([quick, lines.map(({ name, title, beside }) => [name, title, beside])]).toEqual([
      true,
      [["memory", "T", "B"]],
    ]);
    expect(lines[0]?.rows).toEqual([
      {
        ...{ what: "memory", unit: "MB", digits: 0, as: "ratio", ratio: 1.55, goal: 1.4, met: false },
        spotloop: { median: 310, rounds: [300, 320, 310] },
        other: { median: 200, rounds: [200, 200, 200] },
      },
    ]);
  });

  it("gives back what was measured, of what has no goal and nothing beside it too", () => {
    const alone: Comparison = { what: "x", unit: "", digits: 1, as: "pair", spotloop: [1], other: [] };
    const rows = [memory, alone];
    const { lines } = reportOf(false, new Map([["memory", { title: "T", beside: "B", rows }]]), { all: 0, busy: 0 });
    expect(JSON.parse(JSON.stringify(lines))[0].rows.map(comparisonOf)).toEqual(rows);
  });
});
