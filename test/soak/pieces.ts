import type { Machine } from "../figures/machine.ts";
import { readEarlier } from "../figures/run.ts";
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
  const piecesOf = ({ figures }: { readonly figures: object }) => (figures as SoakFigures).pieces;
  const earlier = readEarlier("Starting the soak", "soak", file, (run) =>
    piecesOf(run).every((piece) => piece.speed === speed) ? null : `its pieces are not at ${speed} times the pace`,
  );
  return earlier === null ? [] : piecesOf(earlier);
}
