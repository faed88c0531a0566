import { type Run, readEarlier } from "../figures/run.ts";
import type { BootResult } from "./run.ts";
import type { Step } from "./steps.ts";

/** A step without its picture, which stays behind. */
export type KeptStep = Omit<Step, "picture">;

interface Sitting {
  readonly steps: readonly KeptStep[];
  readonly verdicts: BootResult["verdicts"];
}

/** What is kept of one sitting. */
export type BootPiece = Run<Sitting>;

/** What is kept of a run: what it found, and the runs whose power cuts add up with its own, the oldest first. */
export interface BootFigures extends Sitting {
  readonly before: readonly BootPiece[];
}

/** The pieces in a file, none where there is no file. A file with anything else in it is a `Stop`. */
export function readPieces(file: string): readonly BootPiece[] {
  const earlier = readEarlier("Starting the boot test", "boot-test", file);
  return earlier === null ? [] : piecesOf(earlier as Run<BootFigures>);
}

/** The runs that a run is the last of, and itself. */
export function piecesOf(run: Run<BootFigures>): readonly BootPiece[] {
  const { before, ...figures } = run.figures;
  return [...before, { ...run, figures }];
}

/** The figures of a run as short as a page needs them: what was seen is told of its own steps, and where one failed. */
export function keptFigures({ steps, verdicts, before }: BootFigures): BootFigures {
  const short = ({ name, seen, seconds, isDone }: KeptStep) => ({ name, seen: isDone ? "" : seen, seconds, isDone });
  return {
    steps: steps.map((step) => ({ ...short(step), seen: step.seen })),
    verdicts,
    before: before.map((run) => ({ ...run, figures: { ...run.figures, steps: run.figures.steps.map(short) } })),
  };
}
