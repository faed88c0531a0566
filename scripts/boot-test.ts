// Run by `npm run boot-test [-- --quick --cuts N --seed S --json FILE --append]`: a virtual PC with the packages on a bare Debian,
// watched from outside through boots, breakdowns, an upgrade and power cuts. Ends with 1 where a step failed.
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../test/boot/options.ts";
import { readPieces } from "../test/boot/pieces.ts";
import { runBootTest } from "../test/boot/run.ts";
import { bootTable } from "../test/boot/table.ts";
import { beginRun, withSeed } from "../test/figures/run.ts";
import { packagesIn } from "./package/built.ts";
import type { Ready } from "./ready.mjs";
import { CALLED_FROM } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

const STEP = "Starting the boot test";
const NOTHING = { lost: 0, falseProofs: 0, broken: 0, violations: [] };

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const options = readOptions(args, Date.now() % 1_000_000, CALLED_FROM);
  if (process.getuid?.() !== 0)
    throw new Stop(STEP, "A disk with Debian on it is made by root only.", "Run it as root.");
  const before = options.append && options.json !== null ? readPieces(options.json) : [];
  const runtime = await prepareElectron(["virtual-pc"], ready);
  const { version, fallback } = runtime;
  const measured = beginRun("boot-test", withSeed(args, options.seed), runtime, options.json);
  const folder = mkdtempSync(join(tmpdir(), "spotloop-boot-"));
  const pictures = join(folder, "pictures");
  await mkdir(pictures);
  const step = ready.say.begin(`Booting a virtual PC (seed ${options.seed}, pictures in ${pictures})`);
  const built = options.packages ?? folder;
  const packages = (newer?: string) => packagesIn(join(built, newer ?? "packages"), newer, ready.signal);
  try {
    const how = { ...options, folder, pictures, packages, signal: ready.signal, progress: step.progress };
    const { steps, verdicts, console } = await runBootTest(how);
    step.done();
    process.stdout.write(`\nseed ${options.seed}, Electron ${version}${fallback ? " (the stand-in)" : ""}\n`);
    process.stdout.write(bootTable(steps));
    measured.write("boot-test", { steps, verdicts, before });
    const { lost, falseProofs, broken, violations } = verdicts ?? NOTHING;
    if (verdicts !== null)
      process.stdout.write(`\n${lost} proofs lost, ${falseProofs} false, ${broken} broken files\n`);
    if (console !== null) process.stdout.write(`\nThe end of the machine's console:\n${console}\n`);
    process.stdout.write(`\nPictures: ${pictures}\n`);
    return steps.every(({ isDone }) => isDone) && violations.length === 0 ? 0 : 1;
  } finally {
    if (!options.keep) await removeAllBut("pictures", folder);
  }
}

async function removeAllBut(kept: string, folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== kept) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
