import { existsSync } from "node:fs";
import { Stop } from "../../scripts/setup/stop.mjs";
import type { Machine } from "../figures/machine.ts";
import { readRun } from "../figures/run.ts";
import type { SoakPiece } from "./report.ts";

/** A piece of a soak as it is kept from one run to the next. */
export interface KeptPiece extends SoakPiece {
  readonly speed: number;
  /** When it began, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
}

/** The figures of a soak's run: those of the pieces before it too. */
export interface SoakFigures {
  readonly pieces: readonly KeptPiece[];
}

/** The pieces in a file, none where there is no file. Only pieces of the same pace, as `npm run soak` wrote them, add up. */
export function readPieces(file: string, speed: number): readonly KeptPiece[] {
  if (!existsSync(file)) return [];
  const { name, figures } = readRun(file);
  const { pieces } = figures as SoakFigures;
  const isSame = name === "soak" && pieces.every((piece) => piece.speed === speed);
  if (isSame) return pieces;
  const why = name === "soak" ? `its pieces are not at ${speed} times the pace` : `it is a run of ${name}`;
  throw new Stop(
    "Starting the soak",
    `Nothing can be added to ${file}: ${why}.`,
    "Name another file, or leave out --append.",
  );
}
