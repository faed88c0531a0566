import { readFileSync } from "node:fs";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import type { Runtime } from "../../scripts/setup/electron.ts";

/** What figures depend on besides what is measured. */
export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly electron: string;
  /** Whether that is the old stand-in, for development only, whose figures are not those of a release. */
  readonly fallback: boolean;
  /** What else the machine was doing: processes that wanted a core in the last minute, when the bench began. */
  readonly loadBefore: number;
}

export function machineNow({ version, fallback }: Runtime): Machine {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${distribution()} (${type()} ${release()} ${arch()})`,
    electron: version,
    fallback,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** The machine in two lines. */
export function describeMachine(machine: Machine): string {
  const { date, processor, cores, memoryGb, system, electron, fallback, loadBefore } = machine;
  const runtime = `Electron ${electron}${fallback ? " (unsupported stand-in, for development only)" : ""}`;
  return [
    `${date.slice(0, 10)} · ${runtime} · software rendering on a virtual display of 1280x720`,
    `${processor}, ${cores} cores, ${memoryGb} GB · ${system} · load before: ${loadBefore}`,
  ].join("\n");
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "";
  } catch {
    return "unknown";
  }
}
