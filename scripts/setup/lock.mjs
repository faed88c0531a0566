import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./paths.mjs";

const LOCK = `${ROOT}/dist/.setup.lock`;
const LOOK_AGAIN_MS = 200;
/** A lock without a readable pid is being written this moment, unless it is older than this. */
const WRITING_MS = 2_000;

/**
 * Runs `work` while no other setup runs in this checkout: two `npm run …` started at once wait for each other instead of
 * installing on top of each other. A lock whose owner is gone counts for nothing.
 *
 * @template T
 * @param {import("./steps.mjs").Steps} say
 * @param {AbortSignal} signal
 * @param {() => Promise<T>} work
 * @param {string} [lock]
 * @returns {Promise<T>}
 */
export async function oneAtATime(say, signal, work, lock = LOCK) {
  await mkdir(dirname(lock), { recursive: true });
  let told = false;
  while (!(await take(lock))) {
    if (!told) say.note(`Waiting for another setup in this folder to finish (${lock}).`);
    told = true;
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** @param {string} lock */
async function take(lock) {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    if (await isStale(lock)) await rm(lock, { force: true });
    return false;
  }
}

/** @param {string} lock */
async function isStale(lock) {
  try {
    const pid = Number(await readFile(lock, "utf8"));
    if (pid > 0) return !isAlive(pid);
    return Date.now() - (await stat(lock)).mtimeMs > WRITING_MS;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
