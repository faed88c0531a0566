// Run by `npm run nightly`: what takes too long for `npm test`, one after the other. Seeds that found something once are
// lived through again, and some that nobody has seen.
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Ready } from "./ready.mjs";
import { readArguments } from "./setup/arguments.ts";
import { passThrough } from "./setup/pass-through.mjs";

type Command = readonly [script: string, ...args: string[]];

const SEEDS = [3, 5, 7, 8, 24, 27, 35, 101];

const COMMANDS: readonly Command[] = [
  ...SEEDS.map((seed): Command => ["simulate", "--days", "4", "--seed", String(seed)]),
  ...Array.from({ length: 5 }, (): Command => ["simulate", "--days", "2", "--seed", String(randomInt(2 ** 31))]),
  ["chaos", "--kills", "200"],
  ["fidelity"],
  ["fidelity", "--age", "100"],
  ["fidelity", "--cold", "50"],
  ["soak", "--hours", "1"],
  ["fleet", "--quick"],
  ["fleet"],
];

export async function run(args: readonly string[], { say, signal }: Ready): Promise<number> {
  readArguments(args, { options: {} }, { step: "Starting the night", usage: "npm run nightly" });
  const failed: string[] = [];
  for (const [script, ...args] of COMMANDS) {
    if (signal.aborted) break;
    const line = `npm run ${script} -- ${args.join(" ")}`;
    say.note(`\n── ${line}`);
    const ready = fileURLToPath(new URL("./ready.mjs", import.meta.url));
    if ((await passThrough(process.execPath, [ready, script, ...args])) !== 0) failed.push(line);
  }
  process.stdout.write(failed.length === 0 ? "\nNothing failed.\n" : `\nFailed:\n  ${failed.join("\n  ")}\n`);
  return failed.length === 0 ? 0 : 1;
}
