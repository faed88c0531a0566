import { existsSync } from "node:fs";
import { Stop } from "../../scripts/setup/stop.mjs";
import { type Run, readRun } from "../figures/run.ts";
import type { BootResult } from "./run.ts";

/** What is kept of one sitting. */
export type BootPiece = Run<Pick<BootResult, "steps" | "verdicts">>;

/** What is kept of a run: what it found, and the runs whose power cuts add up with its own, the oldest first. */
export interface BootFigures extends Pick<BootResult, "steps" | "verdicts"> {
  /** Left out by a run that stands alone. */
  readonly before?: readonly BootPiece[];
}

/** The pieces in a file, none where there is no file. A file with anything else in it is a `Stop`. */
export function readPieces(file: string): readonly BootPiece[] {
  if (!existsSync(file)) return [];
  const run = readRun(file);
  if (run.name === "boot-test") return piecesOf(run as Run<BootFigures>);
  throw new Stop(
    "Starting the boot test",
    `Nothing can be added to ${file}: it is a run of ${run.name}.`,
    "Name another file, or leave out --append.",
  );
}

/** The runs that a run is the last of, and itself. */
export function piecesOf(run: Run<BootFigures>): readonly BootPiece[] {
  const { before = [], ...figures } = run.figures;
  return [...before, { ...run, figures }];
}
