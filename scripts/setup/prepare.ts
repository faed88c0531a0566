// Run by each script with what it needs.
import type { Ready } from "../ready.mjs";
import { ensureBuild } from "./build.ts";
import { ensureElectron, type Runtime } from "./electron.ts";
import { oneAtATime } from "./lock.mjs";
import { ensureSandbox } from "./sandbox.ts";
import { ensureSqlite } from "./sqlite.ts";
import { ensureSystem, type Need } from "./system.ts";

/** Makes what runs without a window ready: the command line and the emulator. */
export function prepare(ready: Ready): Promise<void> {
  return oneAtATime(ready.say, ready.signal, () => ensureBuild(ready));
}

/** Makes everything ready for opening windows, and answers with the Electron to open them with. */
export async function prepareElectron(needs: readonly Need[], ready: Ready): Promise<Runtime> {
  const runtime = await oneAtATime(ready.say, ready.signal, async () => {
    await ensureSystem(["electron", ...needs], ready);
    const found = await ensureElectron(ready);
    await ensureSqlite(found, ready);
    await ensureBuild(ready);
    return found;
  });
  ensureSandbox(runtime);
  return runtime;
}

/** Whether windows need a display that is brought along. */
export function hasNoScreen(): boolean {
  return process.platform === "linux" && !process.env.DISPLAY;
}
