import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** How many broken files of one name are kept to find out why; older ones are removed. */
export const MOST_SET_ASIDE = 3;

/** Beside a broken file: what was to be saved of it has been. */
const SAVED = ".saved";
const COMPANIONS = ["", "-wal", "-shm", SAVED];

/**
 * Moves a broken database and the files beside it to `quarantine/<name>.<n>`, n counting up, and returns the new path.
 * The -wal goes along: it may hold commits that can be salvaged, and must not be replayed into the file that takes over.
 */
export function moveAside(path: string): string {
  const folder = join(dirname(path), "quarantine");
  mkdirSync(folder, { recursive: true });
  const name = basename(path);
  const kept = numbersOf(name, folder);
  const number = Math.max(0, ...kept) + 1;
  const target = join(folder, `${name}.${number}`);
  for (const companion of COMPANIONS) {
    if (existsSync(path + companion)) renameSync(path + companion, target + companion);
  }
  for (const old of kept.filter((other) => other <= number - MOST_SET_ASIDE)) {
    for (const companion of COMPANIONS) rmSync(join(folder, `${name}.${old}${companion}`), { force: true });
  }
  return target;
}

/** Names the file itself that is in a place, wherever it may be moved; null where there is none. Throws the system's other errors. */
export function fileIdOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** The files of this name that were set aside and of which nothing has been saved yet, oldest first. */
export function unsaved(path: string): readonly string[] {
  const folder = join(dirname(path), "quarantine");
  if (!existsSync(folder)) return [];
  const name = basename(path);
  return numbersOf(name, folder)
    .sort((one, other) => one - other)
    .map((number) => join(folder, `${name}.${number}`))
    .filter((kept) => !existsSync(kept + SAVED));
}

/** Notes that what was to be saved of a file that was set aside is on the disk elsewhere. */
export function noteSaved(kept: string): void {
  writeFileSync(kept + SAVED, "");
}

/** Of a database that had lost its main file only its companions are there. */
function numbersOf(name: string, folder: string): number[] {
  const numbers = readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => Number(/^(\d+)(-wal|-shm|\.saved)?$/.exec(file.slice(name.length + 1))?.[1] ?? Number.NaN))
    .filter((number) => Number.isInteger(number));
  return [...new Set(numbers)];
}
