import { resolve } from "node:path";
import { readArguments } from "../../scripts/setup/arguments.ts";
import { Stop } from "../../scripts/setup/stop.mjs";

/** What was asked of `npm run simulate`. */
export interface Options {
  readonly days: number;
  readonly seed: number;
  /** Where the figures go, an absolute path, or `null` for nowhere. */
  readonly json: string | null;
  /** Every event is told. */
  readonly verbose: boolean;
}

const STEP = "Starting the simulation";
const TEXT = { type: "string" } as const;
const OPTIONS = { days: TEXT, seed: TEXT, json: TEXT, verbose: { type: "boolean" } } as const;
const USAGE = "npm run simulate -- [--days N] [--seed S] [--json FILE] [--verbose]";
const LONGEST_DAYS = 10_000;

/** Reads the arguments; a day and any seed by default. A relative file is meant from `cwd`. */
export function readOptions(args: readonly string[], cwd: string, anySeed: () => number): Options {
  const {
    days = "1",
    seed,
    json,
    verbose = false,
  } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE }).values;
  return {
    days: number(days, "--days", (value) => value > 0 && value <= LONGEST_DAYS),
    seed: seed === undefined ? anySeed() : number(seed, "--seed", (value) => Number.isSafeInteger(value) && value >= 0),
    json: json === undefined ? null : resolve(cwd, json),
    verbose,
  };
}

function number(text: string, option: string, fits: (value: number) => boolean): number {
  const value = Number(text);
  if (text.trim() === "" || !fits(value)) throw new Stop(STEP, `${option} cannot be ${text}.`, USAGE);
  return value;
}
