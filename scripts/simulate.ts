// Run by `npm run simulate [-- --days N --seed S --json FILE --verbose]`: the player and its real stores live through
// virtual days against the emulator, with faults of every kind drawn from the seed, and everything is watched.
import { randomInt } from "node:crypto";
import { beginRun, withSeed } from "../test/figures/run.ts";
import { readOptions } from "../test/simulate/options.ts";
import { complaintOf, tableOf } from "../test/simulate/report.ts";
import { simulate } from "../test/simulate/simulation.ts";
import type { Ready } from "./ready.mjs";
import { CALLED_FROM } from "./setup/paths.mjs";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { days, seed, json, verbose } = readOptions(args, CALLED_FROM, () => randomInt(2 ** 31));
  const measured = beginRun("simulate", withSeed(args, seed), null, json);
  const step = ready.say.begin(`Simulating ${days} ${days === 1 ? "day" : "days"} with seed ${seed}`);
  const outcome = await simulate({
    ...{ days, seed, signal: ready.signal },
    onDay: ({ days: passed, totals }) => step.progress(`day ${Math.round(passed)}, ${totals.shown} items shown`),
    ...(verbose ? { onEvent: (line: string) => void process.stderr.write(`${line}\n`) } : {}),
  });
  step.done();
  process.stdout.write(`\n${tableOf(outcome)}`);
  measured.write("simulate", outcome);
  if (outcome.failure === null) return 0;
  process.stdout.write(`\n${complaintOf(outcome, days)}`);
  return 1;
}
