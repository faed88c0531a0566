// Run by `npm start -- --config FILE`: the player of this checkout on this machine's display.
import type { Ready } from "./ready.mjs";
import { startDisplay } from "./setup/display.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { hasNoScreen, prepareElectron } from "./setup/prepare.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { executable, args: first } = await prepareElectron(hasNoScreen() ? ["display"] : [], ready);
  if (first.includes("--no-sandbox"))
    ready.say.note("Running as root: Chromium's sandbox is off. Not for a real screen.");
  const display = hasNoScreen() ? await startDisplay() : null;
  if (display !== null) ready.say.note(`No display here: playing on a virtual one, ${display.name}.`);
  const env = display === null ? process.env : { ...process.env, DISPLAY: display.name };
  try {
    return await passThrough(executable, [...first, ROOT, ...args], { env, cwd: process.env.INIT_CWD });
  } finally {
    await display?.stop();
  }
}
