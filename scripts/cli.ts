// Run by `npm run cli -- ARGS` and `npm run emulator -- ARGS`: the command line of this checkout.
import type { Ready } from "./ready.mjs";
import { passThrough } from "./setup/pass-through.mjs";
import { CALLED_FROM, ROOT } from "./setup/paths.mjs";
import { prepare } from "./setup/prepare.ts";
import { run as start } from "./start.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  // The player is not Node's to run.
  if (args[0] === "play" && !args.includes("--help")) return start(args.slice(1), ready);
  await prepare(ready);
  // Relative paths are meant from where the person is, which npm leaves.
  return passThrough(process.execPath, [`${ROOT}/dist/cli/main.js`, ...args], { cwd: CALLED_FROM });
}
