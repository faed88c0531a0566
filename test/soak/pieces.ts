import { readFile } from "node:fs/promises";
import { Stop } from "../../scripts/setup/stop.mjs";
import { writeSmallFile } from "../../src/player/small-file.ts";
import type { Machine } from "../bench/machine.ts";
import type { SoakPiece } from "./report.ts";

/** A piece of a soak as it is kept from one run to the next. */
export interface KeptPiece extends SoakPiece {
  readonly speed: number;
  readonly machine: Machine;
}

const FOR_ALL = 0o644;

/** The pieces in a file, none where there is no file. Only pieces of the same pace, as `npm run soak` wrote them, add up. */
export async function readPieces(file: string, speed: number): Promise<readonly KeptPiece[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return [];
  const pieces = piecesIn(text);
  const isSame = pieces?.every((piece) => piece.speed === speed);
  if (pieces !== null && isSame) return pieces;
  const why = pieces === null ? "it holds no pieces of a soak" : `its pieces are not at ${speed} times the pace`;
  throw new Stop(
    "Starting the soak",
    `Nothing can be added to ${file}: ${why}.`,
    "Name another file, or leave out --append.",
  );
}

/** Writes them whole or not at all: hours went into what is there. */
export function writePieces(file: string, pieces: readonly KeptPiece[]): void {
  if (writeSmallFile(file, { pieces }, FOR_ALL)) return;
  throw new Stop("Keeping the soak", `${file} cannot be written.`, "Name a file on a disk that has room.");
}

function piecesIn(text: string): readonly KeptPiece[] | null {
  try {
    const { pieces } = JSON.parse(text);
    return Array.isArray(pieces) ? pieces : null;
  } catch {
    return null;
  }
}
