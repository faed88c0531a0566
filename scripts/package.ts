// Run by `npm run package [-- --dir]`: the installable application, or with --dir the unpacked one, in release/.
import { dirname } from "node:path";
import type { Ready } from "./ready.mjs";
import type { Runtime } from "./setup/electron.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const runtime = await prepareElectron([], ready);
  const builder = `${ROOT}/node_modules/electron-builder/cli.js`;
  const options = ["--config", "electron-builder.yml", "--publish", "never", ...electronOptions(runtime, args)];
  const code = await passThrough(process.execPath, [builder, ...args, ...options], { cwd: ROOT });
  if (code === 0 && runtime.fallback) {
    ready.say.note(`This holds Electron ${runtime.version}, a stand-in: to try the package here, not to put on a screen.`);
  }
  return code;
}

/**
 * A real package takes the Electron that package.json pins, for each platform it is built for. The stand-in, and one
 * that the environment names, are there for this platform only.
 */
function electronOptions(runtime: Runtime, args: readonly string[]): string[] {
  if (runtime.fallback && !args.includes("--dir")) {
    const why = `Only the stand-in Electron ${runtime.version} is here, which must not be shipped.`;
    throw new Stop("Packaging", why, "npm run package -- --dir, or do it where Electron can be downloaded (ELECTRON_MIRROR)");
  }
  if (!runtime.fallback && process.env.ELECTRON_OVERRIDE_DIST_PATH === undefined) return [];
  return [`-c.electronDist=${dirname(runtime.executable)}`, `-c.electronVersion=${runtime.version}`];
}
