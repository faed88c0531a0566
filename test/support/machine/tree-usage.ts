import { readFileSync } from "node:fs";
import { processTree, statFields } from "./proc.ts";

/** What a process and all that descend from it use at one moment. */
export interface TreeUsage {
  /** Memory in bytes: the proportional set size, which shares a page among those that map it, of every process. */
  readonly pssBytes: number;
  /** Processor time from the beginning in seconds, of processes that have ended too. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

/** The kernel's unit for processor time in /proc, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Reads a tree's use off /proc. A process that ended is in the sum of the one that waited for it, which is in the tree:
 * Chromium's zygotes and the main process wait for theirs.
 */
export function treeUsage(root: number): TreeUsage {
  const members = processTree(root).flatMap(({ pid }) => {
    try {
      return [{ pss: pssOf(pid), ticks: ticksOf(pid) }];
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  });
  return {
    pssBytes: members.reduce((sum, { pss }) => sum + pss, 0),
    cpuSeconds: members.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    processes: members.length,
  };
}

/** Memory of one process, PSS. Throws when it has ended. */
export function processMemoryMb(pid: number): number {
  return pssOf(pid) / 1e6;
}

function pssOf(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

/** Its own time and that of children it has waited for, as user and as kernel: fields 14 to 17 of proc(5)'s stat. */
function ticksOf(pid: number): number {
  return statFields(`/proc/${pid}`)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0);
}

/** It ended while it was being read. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
}
