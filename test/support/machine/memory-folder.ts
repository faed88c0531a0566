import { existsSync, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MOUNTS = "/proc/self/mounts";
const IN_MEMORY = "/dev/shm";
/** In some containers nothing in it may be run. */
const RUNS_PROGRAMS = new RegExp(`^\\S+ ${IN_MEMORY} tmpfs (?!\\S*\\bnoexec\\b)`, "m");

/**
 * Where temporary files are kept in memory, if that has room for so many bytes, and on the disk otherwise: there each
 * commit takes its time, and waits for what other programs write.
 */
export function memoryFolder(roomBytes: number): string {
  if (!existsSync(MOUNTS) || !RUNS_PROGRAMS.test(readFileSync(MOUNTS, "utf8"))) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= roomBytes ? IN_MEMORY : tmpdir();
}
