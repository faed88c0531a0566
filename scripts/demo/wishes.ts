import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stop } from "../setup/stop.mjs";

/** What the demo was asked for. */
export interface Wishes {
  /** End after so many; infinite: when it is stopped. */
  readonly spots: number;
  /** An absolute path, or `null` for no screenshot. */
  readonly screenshot: string | null;
}

const USAGE = "npm run demo -- [--spots N] [--screenshot FILE]";

/** Reads the arguments; a relative file is meant from `cwd`. */
export function readWishes(args: readonly string[], cwd: string): Wishes {
  const { spots, screenshot } = parse(args);
  if (spots !== undefined && !/^[1-9]\d{0,5}$/.test(spots))
    throw unusable(`--spots wants a whole number, not "${spots}".`);
  if (screenshot !== undefined && process.platform !== "linux") throw unusable("--screenshot needs an X11 display.");
  if (screenshot !== undefined && !/\.(?:png|jpe?g)$/i.test(screenshot))
    throw unusable("--screenshot wants a .png or .jpg file.");
  return {
    spots: spots === undefined ? Number.POSITIVE_INFINITY : Number(spots),
    screenshot: screenshot === undefined ? null : resolve(cwd, screenshot),
  };
}

function parse(args: readonly string[]): { spots?: string; screenshot?: string } {
  try {
    return parseArgs({ args: [...args], options: { spots: { type: "string" }, screenshot: { type: "string" } } })
      .values;
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error));
  }
}

function unusable(why: string): Stop {
  return new Stop("Starting the demo", why, USAGE);
}
