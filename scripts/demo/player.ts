import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Child, startChild } from "../setup/child.ts";
import type { Runtime } from "../setup/electron.ts";
import { ROOT } from "../setup/paths.mjs";
import { startAgain } from "../setup/restarts.ts";
import type { Network } from "./emulator.ts";

/** Starts the player of this checkout on a display, with a configuration and a data folder below `folder`. */
export async function startPlayer(
  { executable, args }: Runtime,
  folder: string,
  { baseUrl, orgToken, screenId }: Network,
  display: { readonly name: string | undefined; readonly fullscreen: boolean },
): Promise<Child> {
  await mkdir(folder, { recursive: true });
  const config = {
    baseUrl,
    orgToken,
    screenId,
    dataDir: join(folder, "player"),
    display: { fullscreen: display.fullscreen, width: 1280, height: 720 },
    health: { port: 0 },
  };
  await writeFile(join(folder, "config.json"), JSON.stringify(config, null, 2), { mode: 0o600 });
  const env = { ...process.env, ...(display.name === undefined ? {} : { DISPLAY: display.name }) };
  const playing = [...args, ROOT, "--config", join(folder, "config.json")];
  return startAgain(() => startChild(executable, playing, { stdio: ["ignore", "ignore", "pipe"], env }));
}
