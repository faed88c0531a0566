import { type ParseArgsConfig, parseArgs } from "node:util";
import { Stop } from "./stop.mjs";

/** Reads a script's arguments; those that make no sense are a `Stop` that says why, and how the script is used. */
export function readArguments<T extends Omit<ParseArgsConfig, "args">>(
  args: readonly string[],
  config: T,
  { step, usage }: { readonly step: string; readonly usage: string },
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs<T>({ ...config, args: [...args] });
  } catch (error) {
    throw new Stop(step, error instanceof Error ? error.message : String(error), usage);
  }
}
