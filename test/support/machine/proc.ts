import { readdirSync, readFileSync } from "node:fs";

/** A process as the kernel tells it. */
export interface Proc {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  /** 0 none, 1 strict, 2 filter. */
  readonly seccomp: number;
  /** Name and arguments, separated by spaces. */
  readonly command: string;
}

/** A process and all that descend from it. */
export function processTree(root: number): readonly Proc[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProc(Number(name)) : []));
  const tree = all.filter(({ pid }) => pid === root);
  for (const member of tree) tree.push(...all.filter(({ parent }) => parent === member.pid));
  return tree;
}

/** The processes in which a player's pages run. */
export function renderersOf(player: number): readonly Proc[] {
  return processTree(player).filter(({ command }) => command.includes("--type=renderer"));
}

/** Of a process or thread, by its folder: the fields of proc(5)'s stat from the third on. Throws where it is gone. */
export function statFields(folder: string): readonly string[] {
  const stat = readFileSync(`${folder}/stat`, "latin1");
  // The second field is a name in brackets that may hold anything.
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
    return [{ pid, parent: number("PPid"), uid: number("Uid"), seccomp: number("Seccomp"), command }];
  } catch {
    return []; // It has ended in the meantime.
  }
}
