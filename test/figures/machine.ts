import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Runtime } from "../../scripts/setup/electron.ts";

/** What figures depend on besides what is measured. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Null for what opens no window. */
  readonly electron: string | null;
  /** Whether that is the old stand-in, for development only, whose figures are not those of a release. */
  readonly fallback: boolean;
  /** What else the machine was doing: processes that wanted a core in the last minute, when the run began. */
  readonly loadBefore: number;
}

/** This machine as it is now, and the Electron that is to run on it. */
export function machineNow(runtime: Pick<Runtime, "version" | "fallback"> | null): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${distribution()} (${type()} ${release()} ${arch()})`,
    node: process.versions.node,
    electron: runtime?.version ?? null,
    fallback: runtime?.fallback ?? false,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** The machine in one line, for people. */
export function describeMachine(machine: Machine): string {
  const { processor, cores, memoryGb, system, node, electron, fallback, loadBefore } = machine;
  const standIn = fallback ? ", the stand-in for development" : "";
  const runtime = electron === null ? `Node ${node}` : `Electron ${electron}${standIn}`;
  return `${runtime} · ${processor}, ${cores} cores, ${memoryGb} GB · ${system} · load before: ${loadBefore}`;
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  } catch {
    return "unknown";
  }
}
