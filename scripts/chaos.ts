// Run by `npm run chaos -- [--kills N] [--at-once P] [--seed S] [--json FILE]`: kills real players again and again, and counts
// what that broke.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runInParts } from "../test/chaos/parts.ts";
import { chaosTable } from "../test/chaos/table.ts";
import { readAtOnce } from "../test/figures/at-once.ts";
import { beginRun, withSeed } from "../test/figures/run.ts";
import type { Ready } from "./ready.mjs";
import { readArguments } from "./setup/arguments.ts";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepare } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

const STEP = "Starting the chaos";
const USAGE = "npm run chaos -- [--kills N] [--at-once P] [--seed S] [--json FILE]";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { kills, atOnce, seed, json } = readOptions(args, CALLED_FROM);
  await prepare(ready);
  const measured = beginRun("chaos", withSeed(args, seed), null, json);
  const folder = mkdtempSync(join(tmpdir(), "spotloop-chaos-"));
  const step = ready.say.begin(`Killing players (seed ${seed})`);
  const result = await runInParts({ kills, atOnce, seed, folder, signal: ready.signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${chaosTable(result)}`);
  measured.write("chaos", result);
  // What is left of a run that broke something shows why.
  if (result.violations.length > 0) process.stdout.write(`\nleft in ${folder}\n`);
  else rmSync(folder, { recursive: true });
  return result.violations.length === 0 ? 0 : 1;
}

interface Options {
  readonly kills: number;
  /** How many players. */
  readonly atOnce: number;
  readonly seed: number;
  /** Where the figures go, an absolute path, or `null` for nowhere. */
  readonly json: string | null;
}

function readOptions(args: readonly string[], cwd: string): Options {
  const TEXT = { type: "string" } as const;
  const options = { kills: TEXT, "at-once": TEXT, seed: TEXT, json: TEXT };
  const {
    kills = "50",
    "at-once": atOnce = "1",
    seed,
    json,
  } = readArguments(args, { options }, { step: STEP, usage: USAGE }).values;
  return {
    kills: wholeNumber(kills),
    atOnce: readAtOnce(atOnce, STEP),
    seed: seed === undefined ? Date.now() % 1_000_000 : wholeNumber(seed),
    json: json === undefined ? null : resolve(cwd, json),
  };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Stop(STEP, `"${text}" is no whole number.`, USAGE);
  return Number(text);
}
