// Run by `npm run bench [-- NAME… --quick --json FILE]`: what Spotloop costs and how exact it is, beside something simpler.
import type { Section } from "../test/bench/line.ts";
import { LINES } from "../test/bench/lines.ts";
import { readOptions } from "../test/bench/options.ts";
import { quietMachine, remarkOn } from "../test/bench/quiet.ts";
import { reportOf } from "../test/bench/report.ts";
import { tableOf } from "../test/bench/table.ts";
import { describeMachine } from "../test/figures/machine.ts";
import { beginRun } from "../test/figures/run.ts";
import type { Ready } from "./ready.mjs";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { lines, quick, json } = readOptions(args, LINES, CALLED_FROM);
  const runtime = await prepareElectron(["display", "watching"], ready);
  const measured = beginRun("bench", args, runtime, json);
  process.stdout.write(`\nSpotloop bench${quick ? ", short form" : ""}\n${describeMachine(measured.machine)}\n`);

  const quiet = quietMachine(ready.signal);
  const sections = new Map<string, Section>();
  for (const line of lines) {
    const step = ready.say.begin(`Measuring ${line.name}`);
    const section = await line.run({ quick, quiet, signal: ready.signal, progress: step.progress });
    step.done();
    sections.set(line.name, section);
    process.stdout.write(`\n${tableOf(section)}`);
    measured.write("bench", reportOf(quick, sections, quiet.starts()));
  }
  const remark = remarkOn(quiet.starts());
  if (remark !== "") process.stdout.write(`\n${remark}\n`);
  return 0;
}
