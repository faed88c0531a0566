import type { FiguresOf, RunName } from "../../../scripts/figures/kept.ts";
import type { Run } from "../../figures/run.ts";

/** A run that never was, with as many of its figures as a test is about. */
export function aRun<N extends RunName>(name: N, figures: Partial<FiguresOf[N]>): Run<FiguresOf[N]> {
  const machine = {
    processor: "a CPU",
    cores: 2,
    memoryGb: 24,
    system: "Debian 12 (bookworm) (Linux 6.1 x64)",
    node: "24.0.0",
  };
  return {
    ...{ name, at: "2026-11-23T12:00:00.000Z", seconds: 100, command: `npm run ${name} -- --seed 1` },
    ...{ version: "0.1.0", commit: "abc", figures: figures as FiguresOf[N] },
    machine: { ...machine, electron: "45.4.1", fallback: false, loadBefore: 0.1 },
  };
}
