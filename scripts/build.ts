// Run by `npm run build`: everything that the other scripts would do first, Electron included with `-- --electron`.
import type { Ready } from "./ready.mjs";
import { prepare, prepareElectron } from "./setup/prepare.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  if (!args.includes("--electron")) await prepare(ready);
  else ready.say.note(`Electron: ${(await prepareElectron([], ready)).executable}`);
  return 0;
}
