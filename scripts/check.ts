// Run by `npm run check`, for lint, format and types, and with `--write` by `npm run format`, which mends what can be mended.
import { readArguments } from "./setup/arguments.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";

const BIOME = `${ROOT}/node_modules/@biomejs/biome/bin/biome`;
const TSC = `${ROOT}/node_modules/typescript/bin/tsc`;

const OPTIONS = { options: { write: { type: "boolean", default: false } } } as const;
const WORDS = { step: "Checking", usage: "npm run check, or npm run format" };

export async function run(args: readonly string[]): Promise<number> {
  const { write } = readArguments(args, OPTIONS, WORDS).values;
  const node = (...words: readonly string[]) => passThrough(process.execPath, words, { cwd: ROOT });
  if (write) return node(BIOME, "check", "--write", ".");
  const code = await node(BIOME, "check", ".");
  return code === 0 ? node(TSC, "--build") : code;
}
