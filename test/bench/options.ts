import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Stop } from "../../scripts/setup/stop.mjs";
import type { Line } from "./line.ts";

/** What the bench was asked for. */
export interface Options {
  readonly lines: readonly Line[];
  readonly quick: boolean;
  /** Where the figures of every round go, an absolute path, or `null` for nowhere. */
  readonly json: string | null;
}

/** Reads the arguments: names of lines, all of them where there are none; a relative file is meant from `cwd`. */
export function readOptions(args: readonly string[], known: readonly Line[], cwd: string): Options {
  const usage = `npm run bench -- [${known.map(({ name }) => name).join("] [")}] [--quick] [--json FILE]`;
  const { values, positionals } = parse(args, usage);
  const unknown = positionals.filter((name) => !known.some((line) => line.name === name));
  if (unknown.length > 0) throw new Stop("Starting the bench", `It has no line ${unknown.join(", ")}.`, usage);
  return {
    lines: known.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    quick: values.quick ?? false,
    json: values.json === undefined ? null : resolve(cwd, values.json),
  };
}

function parse(args: readonly string[], usage: string) {
  try {
    const options = { quick: { type: "boolean" }, json: { type: "string" } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Stop("Starting the bench", error instanceof Error ? error.message : String(error), usage);
  }
}
