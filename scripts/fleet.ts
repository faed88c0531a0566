// Run by `npm run fleet [-- --quick --players N --speed N --true-durations --only-well --screens N --json FILE]`: a fleet of
// players watched by Prometheus, some of which are broken on purpose, and which alerts that led to. Ends with 1 where one did
// not come, or came without a cause.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beginRun, type RunningRun } from "../test/figures/run.ts";
import { type FleetOptions, readOptions } from "../test/fleet/options.ts";
import { runFleet } from "../test/fleet/run.ts";
import { runScreens } from "../test/fleet/screens.ts";
import { fleetTable, isClean, screensTable } from "../test/fleet/table.ts";
import type { Ready } from "./ready.mjs";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepare } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";
import { ensureSystem } from "./setup/system.ts";

const STEP = "Starting the fleet";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const options = readOptions(args, CALLED_FROM);
  if (options.screens === null && process.getuid?.() !== 0)
    throw new Stop(STEP, "One of the kiosks has a small disk, which is mounted by root only.", "Run it as root.");
  await prepare(ready);
  if (options.screens === null) await ensureSystem(["monitoring"], ready);
  const measured = beginRun("fleet", args, null, options.json);
  const folder = mkdtempSync(join(tmpdir(), "spotloop-fleet-"));
  // One listener for each process that is to end with this one.
  process.setMaxListeners(0);
  try {
    const { screens } = options;
    const parts = { ...ready, folder, measured };
    return await (screens === null ? tryFleet(options, parts) : tryScreens(options, screens, parts));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Parts extends Ready {
  readonly folder: string;
  readonly measured: RunningRun;
}

async function tryFleet(options: FleetOptions, { folder, measured, say, signal }: Parts): Promise<number> {
  const step = say.begin(`Running a fleet at ${options.speed} times the pace`);
  const result = await runFleet({ ...options, folder, signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${fleetTable(result, options.speed)}`);
  measured.write(nameOf(options), { speed: options.speed, ...result });
  return isClean(result) ? 0 : 1;
}

async function tryScreens(options: FleetOptions, screens: number, { folder, measured, say, signal }: Parts) {
  const step = say.begin(`Running ${screens} simulated screens for ${options.wellMinutes} minutes`);
  const result = await runScreens({ screens, minutes: options.wellMinutes, folder, signal, progress: step.progress });
  step.done();
  process.stdout.write(`\n${screensTable(result)}`);
  measured.write("fleet-screens", result);
  return Object.keys(result.failed).length === 0 ? 0 : 1;
}

/** A part of the causes says nothing of the whole, and a fleet that is well costs what it costs at the true pace only. */
function nameOf({ onlyWell, copies, causes, isQuick, speed }: FleetOptions): string {
  if (isQuick || causes !== null || (onlyWell && speed !== 1)) return "fleet-part";
  if (onlyWell) return copies > 1 ? "fleet-copies" : "fleet-well";
  return "fleet";
}
