// Run by `npm run fleet [-- --quick --players N --speed N --true-durations --only-well --screens N --json FILE]`: a fleet of
// players watched by Prometheus, some of which are broken on purpose, and which alerts that led to. Ends with 1 where one did
// not come, or came without a cause.
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readOptions } from "../test/fleet/options.ts";
import { runFleet } from "../test/fleet/run.ts";
import { fleetTable, isClean } from "../test/fleet/table.ts";
import type { Ready } from "./ready.mjs";
import { prepare } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";
import { ensureSystem } from "./setup/system.ts";

const STEP = "Starting the fleet";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const options = readOptions(args, process.env.INIT_CWD ?? process.cwd());
  if (process.getuid?.() !== 0)
    throw new Stop(STEP, "One of the kiosks has a small disk, which is mounted by root only.", "Run it as root.");
  await prepare(ready);
  await ensureSystem(["monitoring"], ready);
  const folder = mkdtempSync(join(tmpdir(), "spotloop-fleet-"));
  const step = ready.say.begin(`Running a fleet at ${options.speed} times the pace`);
  try {
    const result = await runFleet({ ...options, folder, signal: ready.signal, progress: step.progress });
    step.done();
    process.stdout.write(`\n${fleetTable(result, options.speed)}`);
    if (options.json !== null) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
    return isClean(result) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
