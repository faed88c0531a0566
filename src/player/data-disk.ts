import { readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { mediaFolderIn } from "./media/media-cache.ts";
import type { Ballast } from "./proofs/ballast.ts";
import { runProgram } from "./run-program.ts";
import { StoreUnusable } from "./stores/database.ts";

// What the disk of the data folder has to allow for stores to be opened on it.

/** With less a disk is as good as full: no database can be opened on it, which needs files beside its own. */
const LEAST_FREE_BYTES = 4 * 1024 * 1024;
const LEAST_FREE_FILES = 32;
/** No store is so large; where that much is free, it is not the disk that is full. */
const MOST_FREE_BYTES = 4 * 1024 ** 3;

/**
 * Makes room for the stores on a disk that others have filled, by what is the player's own: media first, the oldest first,
 * then the ballast. A player that runs does so when it must; one that starts could open nothing, and would never play again.
 * Says whether there is that much now.
 */
export async function makeRoomToStart(
  dataDir: string,
  ballast: Pick<Ballast, "free">,
  log: Logger,
  leastFreeBytes = LEAST_FREE_BYTES,
): Promise<boolean> {
  const isStillShort = () => isShort(dataDir, leastFreeBytes);
  if (!(await isStillShort())) return true;
  let removed = 0;
  let short = true;
  for (const path of await oldestFirst(mediaFolderIn(dataDir))) {
    // What another user made there, or a worn disk does not let go of, is not what makes room.
    const isGone = await rm(path, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (!isGone) continue;
    removed++;
    short = await isStillShort();
    if (!short) break;
  }
  const freed = short && ballast.free();
  log.warn({ dataDir, media: removed, ballast: freed }, "the disk was full: room was made for the stores");
  return !(freed ? await isStillShort() : short);
}

/**
 * Opens a store where there is room to start. One of an older version is brought forward, which for a moment may take as much
 * again as it has: where that does not fit, ever more room is made. Throws what `open` throws once there is no more to give up.
 */
export async function openWithRoom<T>(
  open: () => T,
  dataDir: string,
  ballast: Pick<Ballast, "free">,
  log: Logger,
): Promise<T> {
  for (let leastFreeBytes = LEAST_FREE_BYTES; ; leastFreeBytes *= 2) {
    const hasRoom = await makeRoomToStart(dataDir, ballast, log, leastFreeBytes);
    try {
      return open();
    } catch (error) {
      const isFull = error instanceof StoreUnusable && error.cause === "SQLITE_FULL";
      if (!isFull || !hasRoom || leastFreeBytes >= MOST_FREE_BYTES) throw error;
    }
  }
}

/** Btrfs, by the number that Linux has for it. */
const BTRFS = 0x9123683e;

/**
 * Has files that are made in the data folder from now on changed where they are. Btrfs would put each change elsewhere, and on a
 * full disk has no place for one of SQLite's shared memory, which is a file: it ends the process by SIGBUS.
 */
export async function changeInPlace(dataDir: string, log: Logger): Promise<void> {
  const disk = await statfs(dataDir).catch(() => null);
  if (disk === null || disk.type >>> 0 !== BTRFS) return;
  const ran = await runProgram("chattr", ["+C", dataDir]);
  if (ran.kind !== "ran") log.warn({ dataDir, reason: ran.reason }, "on a full Btrfs the player would end by SIGBUS");
}

/** Whether bytes or files are short. Some file systems do not count files: they say that they have none in all. */
async function isShort(dataDir: string, leastFreeBytes: number): Promise<boolean> {
  const disk = await statfs(dataDir).catch(() => null);
  // A folder that is not there yet is made where there is room for it.
  if (disk === null) return false;
  const { bavail, bsize, files, ffree } = disk;
  return bavail * bsize < leastFreeBytes || (files > 0 && ffree < LEAST_FREE_FILES);
}

async function oldestFirst(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const dated = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, at: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  return dated.sort((one, other) => one.at - other.at).map(({ path }) => path);
}
