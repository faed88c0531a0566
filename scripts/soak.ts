// Run by `npm run soak [-- --hours H --speed N --at-once P --json FILE --append --plot FILE.svg]`: real Electron plays real spots for
// hours, watched from outside, and what it showed and took up is told by the hour. SIGTERM ends it sooner, with what was watched until
// then. Ends with 1 when a screen did what it must not.
import { writeFile } from "node:fs/promises";
import { atOnce } from "../test/figures/at-once.ts";
import { describeMachine } from "../test/figures/machine.ts";
import { beginRun } from "../test/figures/run.ts";
import { readOptions } from "../test/soak/options.ts";
import { reportOf } from "../test/soak/report.ts";
import { soak } from "../test/soak/soak.ts";
import { addedUp, readSummary, summaryOf } from "../test/soak/summary.ts";
import { tableOf } from "../test/soak/table.ts";
import { memoryPlot } from "./figures/plots.ts";
import type { Ready } from "./ready.mjs";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const options = readOptions(args, CALLED_FROM);
  const { hours, speed, players, json } = options;
  const before = json !== null && options.append ? readSummary(json, speed) : null;
  const runtime = await prepareElectron(["display", "watching"], ready);
  const measured = beginRun("soak", args, runtime, json);
  const { at, machine } = measured;
  const step = ready.say.begin(`Soaking for ${hours} h at ${speed} times the pace`);
  const made = await atOnce(players, ready.signal, (signal, index) =>
    soak({ hours, speed, signal, onProgress: index === 0 ? step.progress : () => {} }),
  );
  step.done();
  const report = reportOf(made);
  const now = summaryOf(made, { speed, at, processor: machine.processor });
  const summary = before === null ? now : addedUp(before, now);
  process.stdout.write(`\n${describeMachine(machine)}\n\n${tableOf(report)}`);
  measured.write("soak", summary);
  if (options.plot !== null) await writeFile(options.plot, memoryPlot(summary));
  return report.violations.length === 0 ? 0 : 1;
}
