import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { BenchFigures, KeptLine } from "../../test/bench/report.ts";
import { type BootFigures, keptFigures } from "../../test/boot/pieces.ts";
import type { Step } from "../../test/boot/steps.ts";
import type { ChaosResult } from "../../test/chaos/run.ts";
import type { AgeReport } from "../../test/fidelity/age.ts";
import type { ColdFigures } from "../../test/fidelity/cold.ts";
import type { FidelityFigures } from "../../test/fidelity/table.ts";
import { type Run, readRun } from "../../test/figures/run.ts";
import type { FleetResult } from "../../test/fleet/run.ts";
import type { ScreensResult } from "../../test/fleet/screens.ts";
import type { Outcome } from "../../test/simulate/simulation.ts";
import type { SoakSummary } from "../../test/soak/summary.ts";
import { ROOT } from "../setup/paths.mjs";
import { Stop } from "../setup/stop.mjs";

/** What is measured by a line of the bench has a run of its own, since a line is measured anew by itself. */
const BENCH = [
  ...(["transitions", "thousand", "memory", "startup", "owing", "draining", "record", "downloading"] as const),
  ...([
    "frugality",
    "emulator-speed",
    "emulator-screens",
    "emulator-startup",
    "emulator-memory",
    "peers",
    "growth",
  ] as const),
] as const;
type BenchName = `bench-${(typeof BENCH)[number]}`;

/** A line of the bench, and how quiet the machine was in its run. */
export type BenchLine = KeptLine & Pick<BenchFigures, "starts">;

/** What is kept of each run, by its name. */
export interface FiguresOf extends Record<BenchName, BenchLine> {
  readonly chaos: ChaosResult;
  readonly simulate: Outcome;
  readonly soak: SoakSummary;
  readonly fidelity: FidelityFigures;
  readonly "fidelity-age": AgeReport;
  readonly "fidelity-cold": ColdFigures;
  readonly "update-test": { readonly withinS: number; readonly steps: readonly Step[] };
  readonly "boot-test": BootFigures;
  readonly fleet: FleetResult & { readonly speed: number };
  readonly "fleet-well": FleetResult & { readonly speed: number };
  readonly "fleet-copies": FleetResult & { readonly speed: number };
  readonly "fleet-screens": ScreensResult;
}

export type RunName = keyof FiguresOf;

const NAMES: readonly RunName[] = [
  ...BENCH.map((line) => `bench-${line}` as const),
  ...(["chaos", "simulate", "soak", "fidelity", "fidelity-age", "fidelity-cold", "update-test", "boot-test"] as const),
  ...(["fleet", "fleet-well", "fleet-copies", "fleet-screens"] as const),
];

/** Where the kept runs are, a file for each: `NAME.json`. */
export const FOLDER = join(ROOT, "docs", "figures");

/** The runs that are kept, by name. */
export type KeptRuns = { readonly [N in RunName]?: Run<FiguresOf[N]> };

/** The files beside each other that end so; none before the first run is kept. */
export function keptFiles(ending: ".json" | ".svg", folder = FOLDER): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ending)) : [];
}

/** Reads what is kept. Throws for a file that is not named like its run, or whose run has no place in the docs. */
export function readKept(folder = FOLDER): KeptRuns {
  return Object.fromEntries(
    keptFiles(".json", folder).map((file) => {
      const name = file.replace(/\.json$/, "");
      const run = readRun(join(folder, `${name}.json`));
      if (run.name !== name || !isKnown(name)) throw new Error(`${name}.json is a run of ${run.name}`);
      return [name, run];
    }),
  );
}

/**
 * What is kept of a run: of a bench each line by itself, of a boot test what its page tells, else all of it. A run whose
 * figures have no place in the docs is a `Stop`: the short form of a bench, or a part of the creatives or of a fleet's causes.
 */
export function keptOf(run: Run): readonly Run[] {
  if (run.name === "bench") {
    const { lines, quick, starts } = run.figures as BenchFigures;
    if (quick) throw new Stop(STEP, "The short form of the bench says only that it runs.", "Leave out --quick.");
    return lines.map((line) => known({ ...run, name: `bench-${line.name}`, figures: { ...line, starts } }));
  }
  if (run.name === "boot-test") return [{ ...run, figures: keptFigures(run.figures as BootFigures) }];
  return [known(run)];
}

/** A run as it is kept: no more digits than anybody reads. */
export function textOf(run: Run): string {
  return JSON.stringify(run, (_, value) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value,
  );
}

const STEP = "Keeping a run";
const DIGITS = 6;

function known(run: Run): Run {
  if (isKnown(run.name)) return run;
  throw new Stop(STEP, `The docs have no place for ${run.name}.`, `Those with one are ${NAMES.join(", ")}.`);
}

function isKnown(name: string): name is RunName {
  return (NAMES as readonly string[]).includes(name);
}
