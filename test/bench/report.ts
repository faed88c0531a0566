import type { Comparison, Section } from "./line.ts";
import type { Starts } from "./quiet.ts";
import { median } from "./statistics.ts";
import { isMet, judged } from "./table.ts";

/** What a run of the bench found, as it is kept: a line of it, with each round. */
export interface KeptLine extends Omit<Section, "rows"> {
  readonly name: string;
  readonly rows: readonly KeptComparison[];
}

/** `ratio`, `met` and the medians follow from the rounds: for other programs, which need not know how. */
export interface KeptComparison extends Omit<Comparison, "spotloop" | "other" | "goal"> {
  readonly ratio: number | null;
  readonly goal: number | null;
  readonly met: boolean | null;
  readonly spotloop: Rounds;
  readonly other: Rounds;
}

interface Rounds {
  /** Null where there is nothing of the kind. */
  readonly median: number | null;
  readonly rounds: readonly number[];
}

export interface BenchFigures {
  /** Whether it was the short form, whose figures say only that it runs. */
  readonly quick: boolean;
  /** Of all lines. */
  readonly starts: Starts;
  readonly lines: readonly KeptLine[];
}

/** All figures of a run, those of each round among them. */
export function reportOf(quick: boolean, sections: ReadonlyMap<string, Section>, starts: Starts): BenchFigures {
  return {
    quick,
    starts,
    lines: [...sections].map(([name, section]) => ({ ...section, name, rows: section.rows.map(kept) })),
  };
}

/** A comparison as it was measured. */
export function comparisonOf({ ratio, met, goal, spotloop, other, ...row }: KeptComparison): Comparison {
  return { ...row, ...(goal === null ? {} : { goal }), spotloop: spotloop.rounds, other: other.rounds };
}

function kept(row: Comparison): KeptComparison {
  const { spotloop, other, goal, ...rest } = row;
  return {
    ...rest,
    ...{ ratio: row.as === "ratio" ? judged(row) : null, goal: goal ?? null, met: isMet(row) },
    spotloop: roundsOf(spotloop),
    other: roundsOf(other),
  };
}

function roundsOf(rounds: readonly number[]): Rounds {
  return { median: rounds.length === 0 ? null : median(rounds), rounds };
}
