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

/** The nice values of a process's threads (proc(5), stat: field 19; the second one is a name that may hold anything). */
export function niceValues(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
      return [Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])];
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
