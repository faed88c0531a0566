import type { Quiet } from "./quiet.ts";

/** What a line of the bench is run with. */
export interface Bench {
  /** The short form: less of everything, to see that it runs. */
  readonly quick: boolean;
  /** Waited for before each measurement. */
  readonly quiet: Quiet;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Tells how far it is. */
  readonly progress: (text: string) => void;
}

/**
 * One subject of the bench. Spotloop and something to compare it with are measured in turn, in the same run on the same
 * machine, and nothing is judged: a bench is read, tests assert.
 */
export interface Line {
  /** As in `npm run bench -- NAME`. */
  readonly name: string;
  /** Measured only where it is named: it fetches what is no part of this project. */
  readonly isOnRequest?: boolean;
  readonly run: (bench: Bench) => Promise<Section>;
}

/** What a line found. */
export interface Section {
  /** What was measured, in one sentence without its end. */
  readonly title: string;
  /** What is measured, in a word or two, where that is not Spotloop as a whole. */
  readonly subject?: string;
  /** What Spotloop is compared with, in a word or two. */
  readonly beside: string;
  readonly rows: readonly Comparison[];
  /** How the values of one of them are spread. */
  readonly histogram?: Histogram;
}

/** How often each value was measured, in all rounds. */
export interface Histogram {
  readonly what: string;
  readonly unit: string;
  readonly spotloop: Readonly<Record<string, number>>;
  readonly other: Readonly<Record<string, number>>;
}

/** One figure of Spotloop and of the other, in each round: those with the same index were measured one after the other. */
export interface Comparison {
  readonly what: string;
  readonly unit: string;
  /** Digits after the point. */
  readonly digits: number;
  readonly spotloop: readonly number[];
  /** Empty where the other has nothing of the kind. */
  readonly other: readonly number[];
  /** How the two are read: as Spotloop's share of the other's, or each by itself. */
  readonly as: "ratio" | "pair";
  /** What the ratio, or Spotloop's own figure, is to be at most, or at least where `goalIs` says so. */
  readonly goal?: number;
  readonly goalIs?: "most" | "least";
}

/** Makes comparisons of what was found in each round, by its name. */
export function pairsOf<Name extends string>(
  spotloop: readonly Readonly<Record<Name, number>>[],
  other: readonly Readonly<Record<Name, number>>[],
): (what: Name, unit: string, digits: number, goal?: number) => Comparison {
  return (what, unit, digits, goal) => ({
    ...{ what, unit, digits, as: "pair", ...(goal === undefined ? {} : { goal }) },
    ...{ spotloop: spotloop.map((found) => found[what]), other: other.map((found) => found[what]) },
  });
}
