// Run by `npm start -- --config FILE`: the player of this checkout on this machine's display, started again when it asks.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ready } from "./ready.mjs";
import { startDisplay } from "./setup/display.ts";
import { PLAYER_SWITCHES } from "./setup/electron.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { CALLED_FROM, ROOT } from "./setup/paths.mjs";
import { hasNoScreen, prepareElectron } from "./setup/prepare.ts";
import { asksForRestart, RESTART_AFTER_MS } from "./setup/restarts.ts";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { executable, args: first } = await prepareElectron(hasNoScreen() ? ["display"] : [], ready);
  if (first.includes("--no-sandbox"))
    ready.say.note("Running as root: Chromium's sandbox is off. Not for a real screen.");
  const display = hasNoScreen() ? await startDisplay() : null;
  if (display !== null) ready.say.note(`No display here: playing on a virtual one, ${display.name}.`);
  const env = display === null ? process.env : { ...process.env, DISPLAY: display.name };
  try {
    for (;;) {
      const code = await passThrough(executable, [...first, ...PLAYER_SWITCHES, ROOT, ...args], {
        env,
        cwd: CALLED_FROM,
      });
      if (!asksForRestart(code)) return code;
      ready.say.note(`The player asks for a restart (${code}).`);
      const again = await sleep(RESTART_AFTER_MS, true, { signal: ready.signal }).catch(() => false);
      if (!again) return code;
    }
  } finally {
    await display?.stop();
  }
}
