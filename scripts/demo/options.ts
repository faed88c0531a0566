import { resolve } from "node:path";
import { readArguments } from "../setup/arguments.ts";
import { Stop } from "../setup/stop.mjs";

/** What the demo was asked for. */
export interface DemoOptions {
  /** End after so many; infinite: when it is stopped. */
  readonly spots: number;
  /** An absolute path, or `null` for no screenshot. */
  readonly screenshot: string | null;
}

const STEP = "Starting the demo";
const OPTIONS = { spots: { type: "string" }, screenshot: { type: "string" } } as const;
const USAGE = "npm run demo -- [--spots N] [--screenshot FILE]";

/** Reads the arguments; a relative file is meant from `cwd`. */
export function readOptions(args: readonly string[], cwd: string): DemoOptions {
  const { spots, screenshot } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE }).values;
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

function unusable(why: string): Stop {
  return new Stop(STEP, why, USAGE);
}
