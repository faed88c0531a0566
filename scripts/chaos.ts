// Run by `npm run chaos -- [--kills N] [--seed S]`: kills a real player again and again, and counts what that broke.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runChaos } from "../test/chaos/run.ts";
import { chaosTable } from "../test/chaos/table.ts";
import type { Ready } from "./ready.mjs";
import { prepare } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

const USAGE = "npm run chaos -- [--kills N] [--seed S]";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { kills, seed } = readOptions(args);
  await prepare(ready);
  const folder = mkdtempSync(join(tmpdir(), "spotloop-chaos-"));
  const step = ready.say.begin(`Killing the player (seed ${seed})`);
  const result = await runChaos({ kills, seed, folder, signal: ready.signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${chaosTable(result)}`);
  // What is left of a run that broke something shows why.
  if (result.violations.length > 0) process.stdout.write(`\nleft in ${folder}\n`);
  else rmSync(folder, { recursive: true });
  return result.violations.length === 0 ? 0 : 1;
}

function readOptions(args: readonly string[]): { kills: number; seed: number } {
  try {
    const options = { kills: { type: "string" }, seed: { type: "string" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    return { kills: wholeNumber(values.kills ?? "50"), seed: wholeNumber(values.seed ?? `${Date.now() % 1_000_000}`) };
  } catch (error) {
    throw new Stop("Starting the chaos", error instanceof Error ? error.message : String(error), USAGE);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`"${text}" is no whole number.`);
  return Number(text);
}
