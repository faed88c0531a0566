import type { Comparison, Section } from "./line.ts";
import type { Machine } from "./machine.ts";
import { median } from "./statistics.ts";
import { isMet, judged } from "./table.ts";

/** All figures of a run, those of each round among them, as JSON for other programs. */
export function reportOf(machine: Machine, quick: boolean, sections: ReadonlyMap<string, Section>): string {
  const lines = [...sections].map(([name, { title, beside, rows }]) => ({
    ...{ name, title, beside },
    rows: rows.map(rowOf),
  }));
  return `${JSON.stringify({ machine, quick, lines }, null, 2)}\n`;
}

function rowOf(row: Comparison): object {
  const { what, unit, as, spotloop, other, goal, atLeast } = row;
  const ratio = as === "ratio" ? judged(row) : null;
  return {
    ...{ what, unit, ratio, goal: goal ?? null, atLeast: atLeast ?? null, met: isMet(row) },
    spotloop: { median: median(spotloop), rounds: spotloop },
    other: { median: median(other), rounds: other },
  };
}
