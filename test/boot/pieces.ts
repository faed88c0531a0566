import { type Run, readEarlier } from "../figures/run.ts";
import type { BootResult } from "./run.ts";

/** What is kept of one sitting. */
export type BootPiece = Run<Pick<BootResult, "steps" | "verdicts">>;

/** What is kept of a run: what it found, and the runs whose power cuts add up with its own, the oldest first. */
export interface BootFigures extends Pick<BootResult, "steps" | "verdicts"> {
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
