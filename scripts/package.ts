// Run by `npm run package [-- --dir]`: the installable application, or with --dir the unpacked one, in release/.
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Ready } from "./ready.mjs";
import type { Runtime } from "./setup/electron.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { needsBuild } from "./setup/sqlite.ts";
import { Stop } from "./setup/stop.mjs";

const CONFIG = `${ROOT}/dist/.package.json`;

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const runtime = await prepareElectron([], ready);
  if (runtime.fallback && !args.includes("--dir")) {
    const why = `Only the stand-in Electron ${runtime.version} is here, which must not be shipped.`;
    throw new Stop(
      "Packaging",
      why,
      "npm run package -- --dir, or do it where Electron can be downloaded (ELECTRON_MIRROR)",
    );
  }
  await writeFile(CONFIG, JSON.stringify(config(runtime), null, 2));
  const options = ["--config", CONFIG, "--publish", "never", ...args];
  const code = await passThrough(process.execPath, [`${ROOT}/node_modules/electron-builder/cli.js`, ...options], {
    cwd: ROOT,
  });
  if (code === 0 && runtime.fallback) {
    ready.say.note(
      `This holds Electron ${runtime.version}, a stand-in: to try the package here, not to put on a screen.`,
    );
  }
  return code;
}

/**
 * A real package takes the Electron that package.json pins, for each platform that it is built for. The stand-in, and one
 * that the environment names, are there for this platform only. Of better-sqlite3's binaries one is packed: a built one
 * where the runtime needs that, else the shipped one, since a built one is there for this platform only.
 */
function config(runtime: Runtime): object {
  const here = runtime.fallback || process.env.ELECTRON_OVERRIDE_DIST_PATH;
  return {
    extends: "electron-builder.yml",
    files: [`!node_modules/better-sqlite3/${needsBuild(runtime.version) ? "prebuilds" : "build"}/**`],
    ...(here ? { electronDist: dirname(runtime.executable), electronVersion: runtime.version } : {}),
  };
}
