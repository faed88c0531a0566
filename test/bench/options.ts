import { resolve } from "node:path";
import { readArguments } from "../../scripts/setup/arguments.ts";
import { Stop } from "../../scripts/setup/stop.mjs";
import type { Line } from "./line.ts";

/** What the bench was asked for. */
export interface Options {
  readonly lines: readonly Line[];
  readonly quick: boolean;
  /** Where the figures of every round go, an absolute path, or `null` for nowhere. */
  readonly json: string | null;
}

const STEP = "Starting the bench";
const OPTIONS = { quick: { type: "boolean" }, json: { type: "string" } } as const;

/** Reads the arguments: names of lines, all but those on request where there are none; a relative file is meant from `cwd`. */
export function readOptions(args: readonly string[], known: readonly Line[], cwd: string): Options {
  const usage = `npm run bench -- [${known.map(({ name }) => name).join("] [")}] [--quick] [--json FILE]`;
  const { values, positionals } = readArguments(
    args,
    { options: OPTIONS, allowPositionals: true },
    { step: STEP, usage },
  );
  const unknown = positionals.filter((name) => !known.some((line) => line.name === name));
  if (unknown.length > 0) throw new Stop(STEP, `It has no line ${unknown.join(", ")}.`, usage);
  return {
    lines: known.filter(({ name, isOnRequest }) =>
      positionals.length === 0 ? !isOnRequest : positionals.includes(name),
    ),
    quick: values.quick ?? false,
    json: values.json === undefined ? null : resolve(cwd, values.json),
  };
}
