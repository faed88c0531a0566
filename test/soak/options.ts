import { resolve } from "node:path";
import { readArguments } from "../../scripts/setup/arguments.ts";
import { Stop } from "../../scripts/setup/stop.mjs";
import { readAtOnce } from "../figures/at-once.ts";

/** What was asked of `npm run soak`. */
export interface Options {
  readonly hours: number;
  /** How many times as many items an hour as in the field, each as much shorter. */
  readonly speed: number;
  /** How many players, each with its display and network: as many pieces come of it. */
  readonly players: number;
  /** Where the figures go, an absolute path, or `null` for nowhere. */
  readonly json: string | null;
  /** Whether this is one more piece of the soak whose figures are there. */
  readonly append: boolean;
  /** Where a picture of them goes, as SVG. */
  readonly plot: string | null;
}

const STEP = "Starting the soak";
const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;
const OPTIONS = { hours: TEXT, speed: TEXT, "at-once": TEXT, json: TEXT, append: FLAG, plot: TEXT };
const USAGE = "npm run soak -- [--hours H] [--speed N] [--at-once P] [--json FILE [--append]] [--plot FILE.svg]";
const LONGEST_HOURS = 24 * 366;
/** Items of a second and a half: shorter ones leave no time to make the next ready. */
const FASTEST = 4;

/** Reads the arguments; an hour at the field's own pace by default. Relative files are meant from `cwd`. */
export function readOptions(args: readonly string[], cwd: string): Options {
  const {
    hours = "1",
    speed = "1",
    "at-once": players = "1",
    json,
    append = false,
    plot,
  } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE }).values;
  if (append && json === undefined) throw new Stop(STEP, "--append adds to the figures of --json FILE.", USAGE);
  return {
    hours: number(hours, "--hours", LONGEST_HOURS),
    speed: number(speed, "--speed", FASTEST),
    players: readAtOnce(players, STEP),
    json: json === undefined ? null : resolve(cwd, json),
    append,
    plot: plot === undefined ? null : resolve(cwd, plot),
  };
}

function number(text: string, option: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value <= most) return value;
  throw new Stop(STEP, `${option} cannot be ${text}: more than 0, at most ${most}.`, USAGE);
}
