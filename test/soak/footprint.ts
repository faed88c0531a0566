import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Proc, processTree } from "../support/machine/proc.ts";

/** What the processes of a player are for. */
export const KINDS = ["main", "renderers", "gpu", "network", "others"] as const;
export type Kind = (typeof KINDS)[number];

/** What a player takes up at one moment. */
export interface Footprint {
  /** Since the soak began. */
  readonly atMs: number;
  /** Proportional set size by what a process is for. */
  readonly memoryMb: Readonly<Record<Kind, number>>;
  readonly processes: number;
  /** Open file descriptors of the whole tree. */
  readonly handles: number;
  readonly threads: number;
  /** All that is in the data folder. */
  readonly diskMb: number;
  /** The proof store with its log. */
  readonly proofsKb: number;
  /** The media index with its log. */
  readonly indexKb: number;
}

/** Reads off /proc and the disk what a player with this main process and data folder takes up. */
export function footprintOf(pid: number, dataDir: string, atMs: number): Footprint {
  const tree = processTree(pid).map((proc) => ({ ...readProcess(proc.pid), kind: kindOf(proc, pid) }));
  const sum = (of: (one: (typeof tree)[number]) => number) => tree.reduce((all, one) => all + of(one), 0);
  const memoryOf = (kind: Kind) => sum((one) => (one.kind === kind ? one.pssMb : 0));
  const files = filesIn(dataDir);
  const sizeOf = (prefix: string) =>
    files.filter(({ name }) => name.startsWith(prefix)).reduce((all, { bytes }) => all + bytes, 0);
  return {
    atMs,
    memoryMb: Object.fromEntries(KINDS.map((kind) => [kind, memoryOf(kind)])) as Record<Kind, number>,
    processes: tree.length,
    handles: sum(({ handles }) => handles),
    threads: sum(({ threads }) => threads),
    diskMb: sizeOf("") / 1e6,
    proofsKb: sizeOf("proofs.db") / 1e3,
    indexKb: sizeOf("media.db") / 1e3,
  };
}

function kindOf({ pid, command }: Proc, root: number): Kind {
  if (pid === root) return "main";
  if (command.includes("--type=renderer")) return "renderers";
  if (command.includes("--type=gpu-process")) return "gpu";
  return command.includes("network.mojom.NetworkService") ? "network" : "others";
}

/** A process that ends while it is read counts for nothing. */
function readProcess(pid: number): { pssMb: number; handles: number; threads: number } {
  try {
    const pss = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    const threads = /^Threads:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const handles = readdirSync(`/proc/${pid}/fd`).length;
    return { pssMb: (Number(pss ?? 0) * 1024) / 1e6, handles, threads: Number(threads ?? 0) };
  } catch {
    return { pssMb: 0, handles: 0, threads: 0 };
  }
}

/** All files below a folder, by their path from it; what goes away while it is looked at is left out. */
function filesIn(folder: string): readonly { name: string; bytes: number }[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() ? [{ name, bytes: found.size }] : [];
  });
}
