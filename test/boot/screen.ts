import { spawnSync } from "node:child_process";
import { type Catalogue, readCatalogue } from "../support/creatives/catalogue.ts";
import { creativeIn } from "../support/display/eye.ts";
import { EYE_GRID } from "../support/display/recording.ts";

/** How far a screen's picture is turned clockwise, degrees. */
export type Turn = 0 | 90;

/** Reads a photograph of a screen: what a passer-by could tell from it. */
export interface ScreenReader {
  /** The sample creative whose code is on it, or null; on a screen that is turned by a quarter only one of 16:9. */
  creative(photograph: string, turn: Turn): string | null;
  /** The text on it, as far as it can be read. */
  text(photograph: string): string;
}

/** A page of text takes tesseract a second; a machine under load gets more. */
const READ_WITHIN_MS = 60_000;

export function screenReader(): ScreenReader {
  const catalogue: Catalogue = readCatalogue();
  const { columns, rows } = EYE_GRID;
  const upright: Readonly<Record<Turn, string>> = { 0: "", 90: "transpose=cclock,crop=iw:iw*9/16," };
  const raw = ["-pix_fmt", "rgb24", "-f", "rawvideo", "-"];
  return {
    creative(file, turn) {
      const filter = `${upright[turn]}scale=${columns}:${rows}:flags=area`;
      return creativeIn(
        read("ffmpeg", ["-loglevel", "error", "-nostdin", "-i", file, "-vf", filter, ...raw]),
        catalogue,
      );
    },
    text: (file) => read("tesseract", [file, "-"]).toString().replace(/\s+/g, " ").trim(),
  };
}

function read(program: string, args: readonly string[]): Buffer {
  // One thread: Tesseract's others only spin while QEMU has the processors.
  const env = { ...process.env, OMP_THREAD_LIMIT: "1" };
  const { status, stdout, stderr, error } = spawnSync(program, args, { timeout: READ_WITHIN_MS, env });
  if (error !== undefined || status !== 0) throw new Error(`${program} ended with ${status}: ${error ?? stderr}`);
  return stdout;
}
