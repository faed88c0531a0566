// Run first by every npm script: makes node_modules match package-lock.json.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { ROOT } from "./paths.mjs";
import { run } from "./run.mjs";
import { Stop } from "./stop.mjs";

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage> }} Lockfile */

const STEP = "Installing the npm packages";
const KEPT = `${ROOT}/dist/.kept-cache`;
const CACHES = `${ROOT}/node_modules/.cache`;

/**
 * Runs `npm ci` unless what is installed is what the lockfile says.
 * @param {import("./steps.mjs").Steps} say
 * @param {AbortSignal} signal
 */
export async function ensurePackages(say, signal) {
  await restoreCaches();
  const wanted = read(`${ROOT}/package-lock.json`);
  if (wanted === null)
    throw new Stop(STEP, "package-lock.json is missing or damaged.", "git checkout package-lock.json");
  if (matches(wanted, read(`${ROOT}/node_modules/.package-lock.json`))) return;

  const step = say.begin(STEP);
  await setCachesAside();
  try {
    await npmCi(step, Object.keys(wanted.packages ?? {}).length - 1, signal);
  } finally {
    await restoreCaches();
  }
  step.done();
}

/**
 * Whether npm's record of what it installed agrees with the lockfile. An optional package may be absent: it was for
 * another platform. npm writes its record last, so that an interrupted install has none.
 * @param {Lockfile} wanted
 * @param {Lockfile | null} installed
 */
export function matches(wanted, installed) {
  if (installed === null) return false;
  return Object.entries(wanted.packages ?? {}).every(([path, locked]) => {
    if (path === "" || locked.link) return true;
    const there = installed.packages?.[path];
    if (there === undefined) return locked.optional === true;
    return there.version === locked.version && there.integrity === locked.integrity;
  });
}

/** @returns {Lockfile | null} @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/**
 * No package of ours needs its install script: what they would fetch or build is done by the steps that follow.
 * @param {import("./steps.mjs").Step} step
 * @param {number} total
 * @param {AbortSignal} signal
 */
async function npmCi(step, total, signal) {
  const [command, ...first] = npm();
  let fetched = 0;
  const { ok, said } = await run(command, [...first, "ci", "--ignore-scripts", "--loglevel=http"], {
    cwd: ROOT,
    signal,
    shell: process.platform === "win32" && first.length === 0,
    hear(line) {
      if (/ http fetch GET 200 .*\.tgz/.test(line)) step.progress(`${++fetched} of at most ${total}`);
      return !/ http | EBADENGINE /.test(line);
    },
  });
  if (!ok)
    throw new Stop(STEP, said, "See that the npm registry can be reached (`npm ping`), then say the same again.");
}

/**
 * The npm that started this script, run by the Node that runs it: `npm ci` replaces the Node in node_modules.
 * @returns {[string, ...string[]]}
 */
export function npm(env = process.env) {
  const script = env.npm_execpath;
  if (script === undefined || !/\.c?js$/.test(script)) return ["npm"];
  return [env.npm_node_execpath ?? process.execPath, script];
}

/** `npm ci` empties node_modules, our caches with it. */
async function setCachesAside() {
  if (!existsSync(CACHES)) return;
  await rm(KEPT, { recursive: true, force: true });
  await rename(CACHES, KEPT);
}

/** Also brings back what a setup that was killed had set aside. */
async function restoreCaches() {
  if (!existsSync(KEPT) || existsSync(CACHES)) return;
  await mkdir(`${ROOT}/node_modules`, { recursive: true });
  await rename(KEPT, CACHES);
}
