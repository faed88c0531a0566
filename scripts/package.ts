// Run by `npm run package [-- --dir | --deb]`: what is installed, in release/; with --dir the unpacked application, with
// --deb Debian's packages, made by dpkg-deb. With --client or --emulator: those packages for other programs, in dist/packages/.
import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { buildKioskDeb } from "./package/kiosk-deb.ts";
import { LIBRARIES, type LibraryName, readLibraries } from "./package/libraries.ts";
import { readPackageOptions } from "./package/options.ts";
import { packLibrary } from "./package/pack-library.ts";
import type { Ready } from "./ready.mjs";
import type { Runtime } from "./setup/electron.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { prepare, prepareElectron } from "./setup/prepare.ts";
import { needsBuild } from "./setup/sqlite.ts";
import { Stop } from "./setup/stop.mjs";

const CONFIG = `${ROOT}/dist/.package.json`;

export async function run(args: readonly string[], ready: Ready): Promise<number> {
  const { libraries, rest: others } = readLibraries(args);
  if (libraries.length > 0) return packLibraries(libraries, others, ready);
  const { deb, isTrial, folder, rest, ...wanted } = readPackageOptions(args);
  const runtime = await prepareElectron([], ready);
  if (runtime.fallback && !isTrial) throw mustNotBeShipped(runtime);
  const { author, homepage, ...own } = JSON.parse(await readFile(`${ROOT}/package.json`, "utf8"));
  const version = wanted.version ?? own.version;
  // Of 0.1.0~standin a package manager holds that it is older than 0.1.0, and so replaces it.
  const packaged = runtime.fallback && deb ? `${version}-standin` : version;
  await writeFile(CONFIG, JSON.stringify(config(runtime, packaged), null, 2));
  const options = ["--config", CONFIG, "--publish", "never", ...(deb ? ["--linux", "deb"] : []), ...rest];
  const code = await passThrough(process.execPath, [`${ROOT}/node_modules/electron-builder/cli.js`, ...options], {
    cwd: ROOT,
    env: deb ? { ...process.env, CUSTOM_FPM_PATH: `${ROOT}/scripts/package/fpm-deb.mjs` } : process.env,
  });
  if (code !== 0) return code;
  if (deb) {
    const maintainer = `${author.name} <${author.email}>`;
    const file = await buildKioskDeb({ version: packaged.replaceAll("-", "~"), maintainer, homepage, folder });
    ready.say.note(`The package that makes a machine a kiosk: ${file}`);
  }
  if (runtime.fallback) {
    ready.say.note(
      `This holds Electron ${runtime.version}, a stand-in: to try the package here, not to put on a screen.`,
    );
  }
  return code;
}

async function packLibraries(
  libraries: readonly LibraryName[],
  others: readonly string[],
  ready: Ready,
): Promise<number> {
  if (others.length > 0) {
    throw new Stop(
      "Packaging",
      `A package for other programs takes no ${others.join(" ")}.`,
      "Say one after the other.",
    );
  }
  await prepare(ready);
  for (const name of libraries) {
    const file = await packLibrary(LIBRARIES[name], ready);
    ready.say.note(`The package ${LIBRARIES[name].name}: ${file}`);
  }
  return 0;
}

function mustNotBeShipped({ version }: Runtime): Stop {
  return new Stop(
    "Packaging",
    `Only the stand-in Electron ${version} is here, which must not be shipped.`,
    "npm run package -- --dir, or -- --deb, without --publish; or do it where Electron can be downloaded (ELECTRON_MIRROR)",
  );
}

/**
 * A real package takes the Electron that package.json pins, for each platform that it is built for. The stand-in, and one
 * that the environment names, are there for this platform only. Of better-sqlite3's binaries one is packed: a built one
 * where the runtime needs that, else the shipped one, since a built one is there for this platform only.
 */
function config(runtime: Runtime, version: string): object {
  const here = runtime.fallback || process.env.ELECTRON_OVERRIDE_DIST_PATH;
  return {
    extends: "electron-builder.yml",
    files: [`!node_modules/better-sqlite3/${needsBuild(runtime.version) ? "prebuilds" : "build"}/**`],
    extraMetadata: { version },
    ...(here ? { electronDist: dirname(runtime.executable), electronVersion: runtime.version } : {}),
  };
}
