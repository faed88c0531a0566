import { readdirSync, readFileSync } from "node:fs";

/** A process as the kernel tells it. */
export interface Proc {
  readonly pid: number;
  readonly uid: number;
  /** 0 none, 1 strict, 2 filter. */
  readonly seccomp: number;
  /** Name and arguments, separated by spaces. */
  readonly command: string;
}

/** A process and all that descend from it. */
export function processTree(root: number): readonly Proc[] {
  return descendants(root).flatMap(readProc);
}

/**
 * The ids of a process and of all that descend from it, from the top down. Nothing is read of any other process, of which
 * there may be many: the parent of one that ends spins in the kernel while its files in /proc are being closed.
 */
export function descendants(root: number): readonly number[] {
  const pids = [root];
  for (const pid of pids) pids.push(...childrenOf(pid));
  return pids;
}

/** proc(5), task/TID/children: ids, each followed by a space. */
function childrenOf(pid: number): readonly number[] {
  try {
    const lists = ofThreads(pid, (folder) => readFileSync(`${folder}/children`, "latin1"));
    return lists.join("").split(" ").slice(0, -1).map(Number);
  } catch {
    return []; // It has ended in the meantime.
  }
}

/** The processes in which a player's pages run. */
export function renderersOf(player: number): readonly Proc[] {
  return processTree(player).filter(({ command }) => command.includes("--type=renderer"));
}

/** Of a process or thread, by its folder: what `fieldsOf` makes of its stat. Throws where it is gone. */
export function statFields(folder: string): readonly string[] {
  return fieldsOf(readFileSync(`${folder}/stat`, "latin1"));
}

/** Whether a process goes on: one that has ended has its id until its parent has heard of it. */
export function goesOn(pid: number): boolean {
  try {
    return statFields(`/proc/${pid}`)[0] !== "Z";
  } catch {
    return false;
  }
}

/** The fields of proc(5)'s stat from the third on: the second is a name in brackets that may hold anything. */
export function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The nice values of a process's threads: field 19. */
export function niceValues(pid: number): readonly number[] {
  return ofThreads(pid, (folder) => Number(statFields(folder)[16]));
}

/** Node's threads in a process of Electron's, which have its name: Chromium gives its own others. */
export function nodeThreads(pid: number): readonly number[] {
  const threads = ofThreads(pid, (folder, id) => ({ id, name: readFileSync(`${folder}/comm`, "utf8") }));
  const own = threads.find(({ id }) => id === pid)?.name;
  return threads.filter(({ name }) => name === own).map(({ id }) => id);
}

/** What is read of each thread, by its folder. */
function ofThreads<T>(pid: number, read: (folder: string, id: number) => T): readonly T[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [read(`/proc/${pid}/task/${id}`, Number(id))];
    } catch {
      return []; // It has ended in the meantime.
    }
  });
}

function readProc(pid: number): Proc[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const number = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? -1);
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return [{ pid, uid: number("Uid"), seccomp: number("Seccomp"), command }];
  } catch {
    return []; // It has ended in the meantime.
  }
}
