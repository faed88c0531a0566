import { resolve } from "node:path";
import { parseArgs } from "node:util";
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

const USAGE = "npm run simulate -- [--days N] [--seed S] [--json FILE] [--verbose]";
const LONGEST_DAYS = 10_000;

/** Reads the arguments; a day and any seed unless told otherwise. A relative file is meant from `cwd`. */
export function readOptions(args: readonly string[], cwd: string, anySeed: () => number): Options {
  const { days = "1", seed, json, verbose = false } = parse(args);
  return {
    days: number(days, "--days", (value) => value > 0 && value <= LONGEST_DAYS),
    seed: seed === undefined ? anySeed() : number(seed, "--seed", (value) => Number.isSafeInteger(value) && value >= 0),
    json: json === undefined ? null : resolve(cwd, json),
    verbose,
  };
}

function number(text: string, option: string, fits: (value: number) => boolean): number {
  const value = Number(text);
  if (text.trim() === "" || !fits(value))
    throw new Stop("Starting the simulation", `${option} cannot be ${text}.`, USAGE);
  return value;
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const options = { days: text, seed: text, json: text, verbose: { type: "boolean" } } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Stop("Starting the simulation", error instanceof Error ? error.message : String(error), USAGE);
  }
}
