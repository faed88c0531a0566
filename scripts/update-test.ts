// Run by `npm run update-test [-- --quick --packages DIR --keep --json FILE]`: a kiosk in a container upgrades out of a signed repository,
// proves or goes back. Ends with 1 where a step failed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bootTable } from "../test/boot/table.ts";
import { beginRun } from "../test/figures/run.ts";
import { runUpdateTest } from "../test/update/run.ts";
import { packagesIn } from "./package/built.ts";
import type { Ready } from "./ready.mjs";
import { readArguments } from "./setup/arguments.ts";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

const STEP = "Starting the update test";
const USAGE = "npm run update-test -- [--quick] [--packages DIR] [--keep] [--json FILE]";
const OPTIONS = {
  quick: { type: "boolean", default: false },
  packages: { type: "string" },
  keep: { type: "boolean", default: false },
  json: { type: "string" },
} as const;

/** An upgrade has ten minutes to prove; `--quick` gives it less, which a player that is well needs no more than. */
const [WITHIN_S, QUICK_WITHIN_S] = [600, 120];

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { values } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE });
  if (process.getuid?.() !== 0)
    throw new Stop(STEP, "A machine in a container is started by root only.", "Run it as root.");
  const runtime = await prepareElectron(["container"], ready);
  const { version, fallback } = runtime;
  const folder = mkdtempSync(join(tmpdir(), "spotloop-update-"));
  const json = values.json === undefined ? null : resolve(CALLED_FROM, values.json);
  const measured = beginRun("update-test", args, runtime, json);
  const built = values.packages === undefined ? folder : resolve(CALLED_FROM, values.packages);
  const withinS = values.quick ? QUICK_WITHIN_S : WITHIN_S;
  const step = ready.say.begin(`Upgrading a kiosk in a container (${folder})`);
  let isDone = false;
  try {
    const steps = await runUpdateTest({
      folder,
      versions: join(built, "versions"),
      packages: () => packagesIn(join(built, "packages"), undefined, ready.signal),
      withinS,
      signal: ready.signal,
      progress: step.progress,
    });
    step.done();
    process.stdout.write(`\nElectron ${version}${fallback ? " (the stand-in)" : ""}\n${bootTable(steps)}`);
    measured.write("update-test", { withinS, steps });
    isDone = steps.every((one) => one.isDone);
    if (!isDone) process.stdout.write(`\nThe journal since its last start: ${join(folder, "journal.txt")}\n`);
    return isDone ? 0 : 1;
  } finally {
    if (isDone && !values.keep) rmSync(folder, { recursive: true, force: true });
    else rmSync(join(folder, "root"), { recursive: true, force: true });
  }
}
