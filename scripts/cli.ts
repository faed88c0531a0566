// Run by `npm run cli -- ARGS` and `npm run emulator -- ARGS`: the command line of this checkout.
import type { Ready } from "./ready.mjs";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { prepare } from "./setup/prepare.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  await prepare(ready);
  // Relative paths are meant from where the person is, which npm leaves.
  return passThrough(process.execPath, [`${ROOT}/dist/cli/main.js`, ...args], { cwd: process.env.INIT_CWD });
}
